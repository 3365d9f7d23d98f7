// Places and results, as the module writes them.
import { decode } from './text.js';

const columns = ['element', 'attr', 'syntax', 'rel', 'text', 'raw', 'ref', 'url', 'error'];
const optional = new Set(['attr', 'rel', 'text', 'url', 'error']);

// readPlace reads the place at the start of a view, and returns its length. stringOf makes strings
// of bytes.
export function readPlace(place, view, stringOf) {
	place.offset = view.getFloat64(0, true);
	return addTexts(place, columns, view, 8, stringOf);
}

// addTexts adds the texts with these names, which stand at an index in a view, and returns the
// index of what follows.
function addTexts(to, names, view, at, stringOf) {
	for (const name of names) {
		const n = view.getUint32(at, true);
		if (n > 0 || !optional.has(name)) to[name] = stringOf(new Uint8Array(view.buffer, view.byteOffset + at + 4, n));
		at += 4 + n;
	}
	return at;
}

const counts = ['rewritten', 'absolute', 'left', 'unresolvable', 'removed', 'warnings'];

// resultAt reads the result in a view.
export function resultAt(view) {
	const result = {};
	addTexts(result, ['base', 'source'], view, 8 * counts.length, decode);
	if (result.base === '') delete result.base;
	for (const [i, name] of counts.entries()) result[name] = view.getFloat64(8 * i, true);
	return result;
}

// attributesAt reads the attributes at the start of a view, by name.
export function attributesAt(view) {
	const all = new Map();
	for (let i = 0, at = 4; i < view.getUint32(0, true); i++) {
		const one = {};
		at = addTexts(one, ['name', 'value'], view, at, decode);
		all.set(one.name, one.value);
	}
	return all;
}

// placesIn returns the places in a result.
export function placesIn(result, stringOf) {
	const places = [];
	for (let at = 0; at < result.length;) {
		const place = {};
		at += readPlace(place, new DataView(result.buffer, result.byteOffset + at, result.length - at), stringOf);
		places.push(place);
	}
	return places;
}
