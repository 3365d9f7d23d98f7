// inflate returns length bytes of compressed ones (RFC 1951). What a build has compressed is
// right, so it is not checked.
export function inflate(from, length) {
	const to = new Uint8Array(length);
	const state = { from, at: 0, held: 0, n: 0, end: 0 }; // n bits are held; end is in to
	for (let last = 0; !last;) {
		last = bits(state, 1);
		const kind = bits(state, 2);
		if (kind === 0) {
			const at = state.at - (state.n >> 3);
			const count = from[at] | from[at + 1] << 8;
			to.set(from.subarray(at + 4, at + 4 + count), state.end);
			Object.assign(state, { at: at + 4 + count, held: 0, n: 0, end: state.end + count });
		} else {
			block(state, to, ...(kind === 1 ? fixed() : codes(state)));
		}
	}
	return to;
}

// bits reads up to 16 bits.
function bits(state, count) {
	for (; state.n < count; state.n += 8) state.held |= state.from[state.at++] << state.n;
	const value = state.held & (1 << count) - 1;
	state.held >>>= count;
	state.n -= count;
	return value;
}

// symbol reads a symbol of a code.
function symbol(state, { table, longest }) {
	for (; state.n < longest; state.n += 8) state.held |= state.from[state.at++] << state.n;
	const entry = table[state.held & (1 << longest) - 1];
	bits(state, entry & 15);
	return entry >> 4;
}

// block does what bits and symbol would do in a loop, in variables of its own: that takes a
// quarter of the time.
function block(state, to, { table: literals, longest: ofLiterals }, { table: distances, longest: ofDistances }) {
	const { from } = state;
	const [literalMask, distanceMask] = [(1 << ofLiterals) - 1, (1 << ofDistances) - 1];
	let { at, held, n, end } = state;
	for (;;) {
		for (; n < ofLiterals; n += 8) held |= from[at++] << n;
		let entry = literals[held & literalMask];
		held >>>= entry & 15;
		n -= entry & 15;
		let s = entry >> 4;
		if (s < 256) {
			to[end++] = s;
			continue;
		}
		if (s === 256) break;
		let extra = lengthBits[s -= 257];
		for (; n < extra; n += 8) held |= from[at++] << n;
		const stop = end + lengths[s] + (held & (1 << extra) - 1);
		held >>>= extra;
		n -= extra;
		for (; n < ofDistances; n += 8) held |= from[at++] << n;
		entry = distances[held & distanceMask];
		held >>>= entry & 15;
		n -= entry & 15;
		s = entry >> 4;
		extra = distanceBits[s];
		for (; n < extra; n += 8) held |= from[at++] << n;
		const distance = starts[s] + (held & (1 << extra) - 1);
		held >>>= extra;
		n -= extra;
		for (; end < stop; end++) to[end] = to[end - distance];
	}
	Object.assign(state, { at, held, n, end });
}

// The lengths and distances of copies (3.2.5): the least of each symbol, and its extra bits.
const lengthBits = [...Array(28).keys()].map((i) => (i < 4 ? 0 : (i >> 2) - 1)).concat(0);
const lengths = lengthBits.map((bits, i) => (i < 4 ? 3 + i : 3 + ((4 + (i & 3)) << bits)));
lengths[28] = 258;
const distanceBits = [...Array(30).keys()].map((d) => (d < 2 ? 0 : (d >> 1) - 1));
const starts = distanceBits.map((bits, d) => (d < 2 ? 1 + d : 1 + ((2 + (d & 1)) << bits)));

// tableOf returns the table of a code, by the lengths of its symbols (3.2.2). An entry has a
// symbol and the length of its code, and stands wherever the next bits begin with that code.
function tableOf(sizes) {
	const longest = Math.max(1, ...sizes);
	const table = new Uint16Array(1 << longest);
	let code = 0;
	for (let size = 1; size <= longest; size++, code <<= 1) {
		for (let s = 0; s < sizes.length; s++) {
			if (sizes[s] !== size) continue;
			let reversed = 0;
			for (let i = 0; i < size; i++) reversed |= (code >> i & 1) << size - 1 - i;
			for (; reversed < table.length; reversed += 1 << size) table[reversed] = s << 4 | size;
			code++;
		}
	}
	return { table, longest };
}

const fixed = () => [tableOf([...Array(288).keys()].map((s) => (s < 144 ? 8 : s < 256 ? 9 : s < 280 ? 7 : 8))), tableOf(Array(30).fill(5))];

const order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

// codes reads the codes of a block (3.2.7).
function codes(state) {
	const literals = 257 + bits(state, 5);
	const all = literals + 1 + bits(state, 5);
	const sizes = Array(19).fill(0);
	for (let i = 0, count = 4 + bits(state, 4); i < count; i++) sizes[order[i]] = bits(state, 3);
	const code = tableOf(sizes);
	const found = [];
	while (found.length < all) {
		const s = symbol(state, code);
		if (s < 16) found.push(s);
		else if (s === 16) found.push(...Array(3 + bits(state, 2)).fill(found.at(-1)));
		else found.push(...Array(s === 17 ? 3 + bits(state, 3) : 11 + bits(state, 7)).fill(0));
	}
	return [tableOf(found.slice(0, literals)), tableOf(found.slice(literals))];
}
