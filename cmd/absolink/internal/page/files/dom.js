// element makes an element. Text is never parsed as HTML; null children are left out.
export function element(name, attributes = {}, ...children) {
	const e = document.createElement(name);
	for (const [key, value] of Object.entries(attributes)) {
		if (key.startsWith('on')) e.addEventListener(key.slice(2), value);
		else if (value !== null && value !== false) e.setAttribute(key, value === true ? '' : value);
	}
	e.append(...children.filter((child) => child !== null));
	return e;
}

export const byId = (id) => document.getElementById(id);

// visible returns text with a symbol for each character that would not be seen, or that
// would turn the direction of others. It keeps the length.
export function visible(text) {
	return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (c) => {
		const code = c.charCodeAt(0);
		if (code < 32) return code === 9 ? ' ' : String.fromCharCode(0x2400 + code);
		return '\u2370'.repeat(c.length);
	});
}

// shortened returns text without its middle where it is long.
export function shortened(text, max = 300) {
	return text.length <= max ? text : `${text.slice(0, max * 0.7)} … ${text.slice(-max * 0.3)}`;
}

// splits reports whether an offset in a text is in the middle of a character.
export const splits = (text, offset) => text.codePointAt(offset - 1) > 0xffff;

// differing returns a text as nodes, with the part marked in which it differs from another.
export function differing(text, other) {
	if (text === other) return [visible(text)];
	let start = 0;
	const most = Math.min(text.length, other.length);
	while (start < most && text[start] === other[start]) start++;
	if (splits(text, start)) start--;
	let end = 0;
	while (end < most - start && text.at(-1 - end) === other.at(-1 - end)) end++;
	if (splits(text, text.length - end)) end--;
	const middle = visible(text.slice(start, text.length - end));
	return [
		visible(text.slice(0, start)),
		element('mark', { class: middle ? 'differs' : 'differs gap' }, middle),
		visible(text.slice(text.length - end)),
	];
}

// onPoint calls f with the place that the mouse points at, or -1. Only a mouse that moves
// points: rows also move below one that rests.
export function onPoint(list, f) {
	let last = '';
	list.addEventListener('mousemove', (event) => {
		const at = `${event.clientX} ${event.clientY}`;
		if (at !== last) f(placeAt(event));
		last = at;
	});
}

// placeAt returns the index of the place that an event is about, or -1.
export const placeAt = (event) => Number(event.target.closest?.('[data-place]')?.dataset.place ?? -1);

// markActive marks the elements of one place in a list as active.
export function markActive(list, index) {
	for (const e of list.querySelectorAll('[data-place]')) {
		const active = Number(e.dataset.place) === index;
		e.classList.toggle('active', active);
		if (e.hasAttribute('aria-selected')) e.setAttribute('aria-selected', String(active));
	}
}

export const count = (n, one, many = `${one}s`) => `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
