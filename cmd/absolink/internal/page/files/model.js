import { bytesOf } from './bytes.js';

export const states = {
	rewritten: 'rewritten',
	absolute: 'absolute',
	left: 'left as it is',
	unresolvable: 'unresolvable',
	request: 'on request',
};

function decoder(charset) {
	try {
		return new TextDecoder(charset, { ignoreBOM: true });
	} catch {
		return new TextDecoder('windows-1252');
	}
}

// decodeAt decodes bytes piece by piece, and returns the text and a function from offsets
// in the bytes, which must be among those given, to offsets in the text.
function decodeAt(bytes, charset, offsets) {
	const sorted = [...new Set(offsets)].sort((a, b) => a - b);
	const to = new Map();
	const d = decoder(charset);
	const pieces = [];
	let done = 0;
	let length = 0;
	for (const offset of sorted) {
		// A character that is cut short ends with its piece; ISO-2022-JP shifts between pieces.
		const piece = d.decode(bytes.subarray(done, offset), { stream: d.encoding === 'iso-2022-jp' });
		pieces.push(piece);
		length += piece.length;
		done = offset;
		to.set(offset, length);
	}
	pieces.push(d.decode(bytes.subarray(done)));
	return { text: pieces.join(''), at: (offset) => to.get(offset) };
}

// lines returns a function from offsets, which must be among those given, to lines of a text.
function lines(text, at, offsets) {
	const of = new Map();
	let line = 1;
	let done = 0;
	for (const offset of [...new Set(offsets)].sort((a, b) => a - b)) {
		for (let i = text.indexOf('\n', done); i >= 0 && i < at(offset); i = text.indexOf('\n', done)) {
			line++;
			done = i + 1;
		}
		of.set(offset, line);
	}
	return (offset) => of.get(offset);
}

// hostOf returns the host that a URL leads to; '' where it leads to none.
export function hostOf(url) {
	try {
		return /^(https?|ftp|wss?):/i.test(url) ? new URL(url).host : '';
	} catch {
		return '';
	}
}

// layersOf returns the base that counts, and then those that it overrides. lineAt returns the
// line of an offset.
function layersOf(found, lineAt) {
	if (!found.base) return [];
	const names = { url: 'the URL above', '--url': 'the option --url', response: 'the URL of the response' };
	const origin = (l) => (l.offset === undefined ? names[l.name] ?? l.name : `${l.name}, line ${lineAt(l.offset).toLocaleString('en')}`);
	return [found.base, ...(found.overrides ?? [])].map((l) => ({ ...l, origin: origin(l) }));
}

// A model is a view with its source and places as text.
export function modelOf(view) {
	const source = bytesOf(view.source);
	const rewritten = bytesOf(view.rewritten);
	const within = (n) => Math.min(Math.max(n, 0), source.length);
	const spans = (view.places ?? []).map((p) => [within(p.offset), within(p.offset + p.length)]);
	const documents = view.documents ?? [{}];
	const bases = documents.flatMap((d) => [d.base, ...(d.overrides ?? [])]).map((l) => within(l?.offset ?? 0));
	const { text, at } = decodeAt(source, view.charset, [...spans.flat(), ...bases]);
	const lineAt = lines(text, (offset) => at(within(offset)), bases);
	const places = (view.places ?? []).map((p, i) => {
		const [start, end] = spans[i].map(at);
		// The raw value in the view is what JSON has for bytes that need not be UTF-8.
		return { ...p, start, end, raw: p.length > 0 ? text.slice(start, end) : p.raw, host: hostOf(p.url ?? '') };
	});
	places.sort((a, b) => a.start - b.start || a.end - b.end);
	places.forEach((p, i) => { p.index = i; });
	const counts = Object.fromEntries(Object.keys(states).map((s) => [s, 0]));
	for (const p of places) counts[p.state]++;
	return {
		...view, source, rewritten, text, places, counts,
		csv: view.csv === null ? null : () => bytesOf(view.csv),
		jsonLines: view.jsonl === null ? null : () => bytesOf(view.jsonl),
		documents: documents.map((d) => ({ ...d, layers: layersOf(d, lineAt) })),
		diffBytes: () => bytesOf(view.diff),
		rewrittenText: () => decoder(view.charset).decode(rewritten),
	};
}

const outerLayer = (doc) => doc.layers.find((l) => l.source !== 'embedded');

// ownURL returns the URL that a document was at, or else its base URL; '' where neither is
// known.
export const ownURL = (doc) => (outerLayer(doc) ?? doc.layers[0])?.url ?? '';

// baseOf returns the layer with the base URL of a place, if there is one.
export function baseOf(model, place) {
	const doc = model.documents[place.document ?? 0];
	return place.outer ? doc && outerLayer(doc) : doc?.layers[0];
}

export const nameOf = (place) => (place.attr ? `${place.element}[${place.attr}]` : place.element);
