// Strings and their bytes. Half of a surrogate pair, which UTF-8 lacks, is three bytes.

export const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

// decode returns UTF-8 as a string.
export const decode = (bytes) => decoder.decode(bytes);

// join returns strings as bytes, one after another, and their lengths.
export function join(strings) {
	const lengths = new Uint32Array(strings.length);
	let sum = 0;
	for (let i = 0; i < strings.length; i++) sum += lengths[i] = strings[i].length;
	const bytes = encoder.encode(strings.join(''));
	if (bytes.length === sum) return [bytes, lengths];
	const each = strings.map((s) => encoder.encode(s)); // not all are ASCII
	const all = new Uint8Array(each.reduce((n, b) => n + b.length, 0));
	let at = 0;
	for (const [i, b] of each.entries()) {
		all.set(b, at);
		at += lengths[i] = b.length;
	}
	return [all, lengths];
}

// split returns n strings of bytes: their lengths come first, and a NUL follows each string.
// An empty one is null.
export function split(bytes, n) {
	const lengths = new Uint32Array(bytes.slice(0, 4 * n).buffer);
	const rest = bytes.subarray(4 * n);
	const text = decode(rest);
	const part = text.length === rest.length ? (start, end) => text.slice(start, end) : (start, end) => decode(rest.subarray(start, end));
	let at = 0;
	return Array.from(lengths, (length) => {
		const start = at;
		at += length + 1;
		return length > 0 ? part(start, start + length) : null;
	});
}

const isWellFormed = (s) => (s.isWellFormed ? s.isWellFormed() : !/\p{Surrogate}/u.test(s));

// encode returns a string as bytes, and the function that makes a string of such bytes.
export function encode(s) {
	return isWellFormed(s) ? [encoder.encode(s), decode] : [withHalves(s), stringOf];
}

function withHalves(s) {
	const bytes = new Uint8Array(3 * s.length);
	let n = 0;
	for (let i = 0; i < s.length; i++) {
		const c = s.codePointAt(i);
		if (c < 0x80) {
			bytes[n++] = c;
			continue;
		}
		if (c < 0x800) {
			bytes[n++] = 0xc0 | c >> 6;
		} else {
			if (c < 0x10000) {
				bytes[n++] = 0xe0 | c >> 12;
			} else {
				bytes[n++] = 0xf0 | c >> 18;
				bytes[n++] = 0x80 | c >> 12 & 0x3f;
				i++;
			}
			bytes[n++] = 0x80 | c >> 6 & 0x3f;
		}
		bytes[n++] = 0x80 | c & 0x3f;
	}
	return bytes.subarray(0, n);
}

// stringOf returns bytes as a string, which may have halves of surrogate pairs.
function stringOf(bytes) {
	const parts = [];
	let from = 0;
	for (let i = bytes.indexOf(0xed); i >= 0; i = bytes.indexOf(0xed, i + 1)) {
		if (!(bytes[i + 1] >= 0xa0 && bytes[i + 2] >= 0x80)) continue;
		parts.push(decode(bytes.subarray(from, i)), String.fromCharCode(0xd000 | (bytes[i + 1] & 0x3f) << 6 | bytes[i + 2] & 0x3f));
		from = i + 3;
	}
	return parts.join('') + decode(bytes.subarray(from));
}
