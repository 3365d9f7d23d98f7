import { element, visible } from './dom.js';

// The layers of RFC 1808 §3, the strongest first, with the name that a base has of it.
const layers = [
	{ section: '3.1', name: 'Embedded in the document', source: 'embedded', lacks: 'the head has no BASE with an href that counts', why: 'a BASE in the head goes before everything else' },
	{ section: '3.2', name: 'From what is around the document', source: 'entity', lacks: 'the document is not a part of a message or feed that gives one', why: 'no BASE counts, and the message, feed or response around the document gives a base URL' },
	{ section: '3.3', name: 'Retrieval URL', source: 'retrieval', lacks: 'none is given, and no browser left one in the document', why: 'the document has no BASE that counts, and nothing around it gives a base URL' },
];
const none = { section: '3.4', name: 'Default', lacks: 'nothing is taken for the base URL', why: 'no layer gives a base URL: relative references stay as they are' };

// baseLine says in one line where the links of documents begin.
export function baseLine(documents) {
	const [first] = documents;
	const base = first.layers[0];
	const parts = documents.length > 1 ? `The ${documents.length.toLocaleString('en')} parts have bases of their own; links of the first begin` : 'Links begin';
	if (base === undefined) return [documents.length > 1 ? 'No base URL is known of the first part.' : 'No base URL is known: relative links stay as they are. Write the URL of the document above.'];
	return [`${parts} at `, element('code', {}, visible(base.url)), element('small', {}, ` (${visible(base.origin)})`)];
}

// layersTable shows what each layer offers to a document, which one counts, and why.
export function layersTable(doc) {
	const winner = doc.layers[0];
	const offerOf = (layer) => doc.layers.find((l) => layer.source === l.source);
	const rows = layers.filter(offerOf).map((layer) => row(layer, offerOf(layer), offerOf(layer) === winner, winner));
	if (winner === undefined) rows.push(row(none, undefined, true, winner));
	const silent = layers.filter((layer) => !offerOf(layer));
	if (silent.length > 0) {
		const say = silent.map((layer) => `§${layer.section} ${layer.name}: ${layer.lacks}`).join('. ');
		rows.push(element('tr', {}, element('td', { class: 'none', colspan: 3 }, `Nothing else. ${say}.`)));
	}
	const head = element('tr', {}, ...['RFC 1808', 'Offers', 'Result'].map((name) => element('th', { scope: 'col' }, name)));
	return element('table', { class: 'layers' }, element('thead', {}, head), element('tbody', {}, ...rows));
}

function row(layer, offer, wins, winner) {
	const section = element('th', { scope: 'row' }, element('span', { class: 'section' }, `§${layer.section}`), ` ${layer.name}`);
	const offers = offer
		? element('td', {}, element('code', {}, visible(offer.url)), element('small', {}, visible(offer.origin)))
		: element('td', { class: 'none' }, layer.lacks);
	let result = '—';
	if (wins) result = element('span', {}, element('strong', {}, '✓ counts'), `: ${layer.why}`);
	else if (offer) result = `overridden by §${layers.find((l) => l.source === winner.source).section}`;
	return element('tr', { class: wins ? 'wins' : null }, section, offers, element('td', {}, result));
}
