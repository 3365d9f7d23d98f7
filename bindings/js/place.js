// Places, as the module writes them.

const columns = ['element', 'attr', 'syntax', 'rel', 'text', 'raw', 'ref', 'url', 'error'];
const optional = new Set(['attr', 'rel', 'text', 'url', 'error']);

// placeAt reads the place at the start of a view. stringOf makes strings of bytes. next,
// where given, is called with the length of the place.
export function placeAt(view, stringOf, next) {
	const place = { offset: view.getFloat64(0, true) };
	let at = 8;
	for (const name of columns) {
		const n = view.getUint32(at, true);
		if (n > 0 || !optional.has(name)) place[name] = stringOf(new Uint8Array(view.buffer, view.byteOffset + at + 4, n));
		at += 4 + n;
	}
	next?.(at);
	return place;
}

// placesIn returns the places in a result.
export function placesIn(result, stringOf) {
	const places = [];
	for (let at = 0; at < result.length;) {
		places.push(placeAt(new DataView(result.buffer, result.byteOffset + at, result.length - at), stringOf, (n) => { at += n; }));
	}
	return places;
}
