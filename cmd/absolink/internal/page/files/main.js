import { isFile, isReport, reportViews, requestRewritten, requestView } from './api.js';
import { byId, count, element, shortened, visible } from './dom.js';
import { downloadButtons, fileName, save } from './download.js';
import { FileTable } from './files.js';
import { hostsChart } from './hosts.js';
import { fetches, showExample, watchInput } from './input.js';
import { baseLine, layersTable } from './layers.js';
import { modelOf, nameOf, states } from './model.js';
import { PlaceDialog } from './place.js';
import { openElsewhere, showQuiet } from './render.js';
import { SourceView } from './source.js';
import { becomes, PlaceTable } from './table.js';

const mostParts = 1000; // to choose from
const filter = { states: new Set(Object.keys(states)), text: '' };
let doc = null; // that is open: its body or URL, and where it was fetched from
let docs = []; // all that were opened together
let model = null; // of the document that is shown
let shownDoc = null;
let running = null; // the request that is under way

// hover marks a place on both sides; the side that it does not come from shows it.
const hover = (index, from) => {
	source.highlight(index, from === table);
	table.highlight(index, from === source);
};
const open = (index) => {
	hover(index, source);
	source.highlight(index, true);
	dialog.show(model, model.places[index]);
};
const source = new SourceView(byId('source'), { hover: (i) => i >= 0 && hover(i, source), open });
const table = new PlaceTable(byId('places'), { hover: (i) => i >= 0 && hover(i, table), open, tell });
const dialog = new PlaceDialog(byId('place'), (step) => {
	const next = table.places[(table.rowOf.get(table.active) ?? -1) + step];
	if (next) open(next.index);
});

// tell shows the whole of what the row of a place may cut.
function tell(place) {
	byId('whole').replaceChildren(...(place ? [element('code', {}, visible(shortened(place.ref, 2000))), ' → ', element('code', {}, visible(shortened(becomes(place), 2000)))] : ['Point at a place, or choose it by the arrow keys: it is shown whole here.']));
}

// optionsNow returns the options that the form says, as parameters.
function optionsNow() {
	const options = [['profile', byId('profile').value], ['rules', [...document.querySelectorAll('#rules :checked')].map((box) => box.value).join(',')], ['type', byId('type').value]];
	const url = doc?.from ?? byId('url').value.trim();
	if (url !== '') options.push(['url', url]);
	if (byId('keep-fragments').checked) options.push(['keep-fragments', 'true']);
	for (const pattern of byId('keep').value.split('\n')) if (pattern.trim() !== '') options.push(['keep', pattern.trim()]);
	return options;
}

// checkURL throws an error that says what the URL lacks.
function checkURL() {
	const url = byId('url').value.trim();
	if (url === '' || /^[a-z][a-z0-9+.-]*:/i.test(url)) return;
	throw new OptionError(`The URL begins with https:// or http://, as in https://${url.replace(/^[/\\]+/, '') || 'example.org/'}`);
}

// An OptionError is about the form, not about a document.
class OptionError extends Error {}

const files = new FileTable((opened) => {
	doc = opened;
	run();
});

// open opens documents: the first is shown, and if there are several, all are rewritten.
function openAll(opened) {
	docs = opened;
	[doc] = opened;
	byId('files').hidden = docs.length < 2;
	rerun();
}

// rerun does everything with the options as they are now.
function rerun() {
	run();
	if (docs.length > 1) files.run(docs, optionsNow());
}

// run asks for the view of the document with the options, and shows it. Only the last
// request counts.
async function run() {
	if (!doc) return;
	running?.abort();
	const mine = new AbortController();
	running = mine;
	if (byId('shown').hidden) byId('status').textContent = 'Reading …';
	byId('about').classList.add('busy');
	try {
		checkURL();
		const view = await requestView(doc, optionsNow(), mine.signal);
		if (running !== mine) return;
		const viewed = modelOf(view);
		const again = doc === shownDoc;
		if (!doc.body) keepFetched(viewed);
		shownDoc = doc;
		show(viewed, again);
	} catch (error) {
		if (running === mine) fail(error);
	}
}

// keepFetched keeps the bytes of a document that was fetched, for other options.
function keepFetched(fetched) {
	const from = fetched.documents[0].layers.find((l) => l.source === 'retrieval')?.url ?? doc.url;
	byId('url').value = from;
	doc = { name: fetched.name, body: new Blob([fetched.source]), type: fetched.kind === 'html' ? `text/html; charset=${fetched.charset}` : '', from };
	docs = [doc];
}

// fail says what is wrong, and what can be done here. What is shown stays: out of reach until the
// options are right again, if they are what is wrong. unopened says that no document was opened.
function fail(error, unopened = false) {
	byId('about').classList.remove('busy');
	if (byId('shown').hidden) byId('status').textContent = '';
	const ofURL = /^url: (.*)$/s.exec(error.message);
	const ofDocument = doc && !unopened && !ofURL && !(error instanceof OptionError);
	const message = ofURL ? `The URL: ${visible(ofURL[1])}` : ofDocument ? said(doc.name, error.message) : visible(error.message);
	const button = (label, onclick) => element('button', { type: 'button', onclick }, label);
	const choices = [];
	if (error.tooLong && doc.body) choices.push(' It can still be rewritten: ', button('Save the rewritten document', saveUnshown));
	if (ofDocument && shownDoc && doc !== shownDoc) choices.push(' ', button(`Back to ${visible(shortened(shownDoc.name, 40))}`, back));
	byId('problem').replaceChildren(message.replace(/[^.]$/, '$&.'), ...choices);
	byId('problem').hidden = false;
	byId('shown').inert = !unopened && doc === shownDoc;
}

// said returns an error of a document in a sentence about the document.
const said = (name, message) => `${visible(name)}${/^(is|has|does|cannot)\b/.test(message) ? '' : ':'} ${visible(message)}`;

// back goes back to the document that is shown.
function back() {
	doc = shownDoc;
	run();
}

// saveUnshown saves a document that is too long to be shown.
async function saveUnshown(event) {
	event.currentTarget.disabled = true;
	const unshown = doc;
	byId('status').textContent = `Rewriting ${visible(unshown.name)} …`;
	try {
		save(fileName(unshown), 'application/octet-stream', await (await requestRewritten(unshown, optionsNow())).blob());
		byId('status').textContent = `${visible(unshown.name)} is rewritten.`;
	} catch (error) {
		fail(error);
	}
}

// show shows a model in all parts of the page. Where that is of the same document again,
// under other options, it stays where it is scrolled to.
function show(shown, again = false) {
	const pointed = again ? model.places[table.active] : undefined;
	model = shown;
	document.title = `${visible(model.name)} – absolink`;
	byId('problem').hidden = true;
	byId('shown').hidden = false;
	byId('shown').inert = false;
	showAbout();
	showWarnings();
	showLayers();
	byId('places-part').classList.toggle('bare', model.places.length === 0);
	showStates();
	showRequests();
	source.show(model, again);
	table.highlight(-1, false);
	tell();
	applyFilter(again);
	if (pointed) hover(model.places.findIndex((p) => p.offset === pointed.offset && p.length === pointed.length));
	byId('hosts').replaceChildren(...hostsChart(model, (host) => search(host)));
	byId('downloads').replaceChildren(...downloadButtons(model));
	byId('frames').replaceChildren();
	if (byId('rendered').open) showFrames();
}

// showAbout says what is shown, and offers the profile that one would compare with.
function showAbout() {
	byId('about').hidden = false;
	byId('about').classList.remove('busy');
	const { request } = model.counts;
	const places = `${count(model.places.length - request, 'place')}${request ? ` and ${request.toLocaleString('en')} on request` : ''}`;
	const unshown = model.unshown ? ` ${count(model.unshown, 'more place is', 'more places are')} not shown.` : '';
	byId('status').replaceChildren(element('strong', {}, visible(model.name)), `: ${places} in ${count(model.source.length, 'byte')}, ${model.charset}, by ${model.profile}.${unshown}`);
	byId('own').textContent = !doc?.example ? '' : isFile() ? 'This is an example.' : `This is an example. What you open is sent to ${location.host} only.`;
	byId('other').hidden = isReport();
	byId('other').textContent = `Compare with ${otherProfile()}`;
}

const otherProfile = () => (byId('profile').value === 'whatwg' ? 'rfc1808' : 'whatwg');

function showWarnings() {
	const warnings = (model.warnings ?? []).map((w) => element('li', {}, `Byte ${w.offset.toLocaleString('en')}: ${visible(w.message)}`));
	const more = (model.warned ?? 0) - warnings.length;
	byId('warnings').replaceChildren(...warnings, more > 0 ? element('li', {}, `And ${count(more, 'more warning')}.`) : '');
}

function showLayers() {
	const parts = model.documents;
	byId('part').hidden = parts.length < 2;
	const more = parts.length - mostParts;
	byId('part-select').replaceChildren(
		...parts.slice(0, mostParts).map((d, i) => element('option', { value: i }, `at byte ${d.offset.toLocaleString('en')}`)),
		more > 0 ? element('option', { disabled: true }, `and ${count(more, 'more part')}`) : '',
	);
	byId('base').replaceChildren(...baseLine(parts));
	byId('layers').replaceChildren(layersTable(parts[0]));
}

// showStates shows a button for each state: the legend of the colours, and a filter.
function showStates() {
	byId('states').replaceChildren(...Object.entries(states).map(([state, label]) => element('button', {
		type: 'button', role: 'switch', class: `state ${state}${model.counts[state] ? '' : ' zero'}`, 'aria-checked': String(filter.states.has(state)),
		onclick: (event) => {
			const on = !filter.states.delete(state);
			if (on) filter.states.add(state);
			event.currentTarget.setAttribute('aria-checked', String(on));
			applyFilter();
		},
	}, element('span', { class: 'switch', 'aria-hidden': 'true' }), element('span', { class: `mark ${state}` }, label), ` ${model.counts[state].toLocaleString('en')}`)));
}

// showRequests says at each group of rules how many more places it would find.
function showRequests() {
	for (const box of document.querySelectorAll('#rules input')) {
		const more = model.places.filter((p) => p.group === box.value).length;
		box.parentElement.querySelector('.more')?.remove();
		if (more > 0) box.parentElement.append(element('small', { class: 'more' }, `+${count(more, 'place')}`));
	}
}

function applyFilter(stay = false) {
	const text = filter.text.toLowerCase();
	const fits = (p) => filter.states.has(p.state) && (text === '' || [p.ref, p.url ?? '', nameOf(p)].some((s) => s.toLowerCase().includes(text)));
	const places = model.places.filter(fits);
	table.show(model, places, stay);
	byId('found').textContent = found(places);
}

// found says how many of all places fit the filter, unless that is plain to see. It counts
// as the line above does: places on request are counted on their own.
function found(fitting) {
	const all = model.places.length;
	if (all === 0) return 'No place was found in this document.';
	if (fitting.length === all) return '';
	const { request } = model.counts;
	const shown = fitting.filter((p) => p.state === 'request').length;
	const requests = request ? `, and ${shown.toLocaleString('en')} of ${request.toLocaleString('en')} on request` : '';
	return `${(fitting.length - shown).toLocaleString('en')} of ${count(all - request, 'place')}${requests} shown.`;
}

function search(text) {
	byId('search').value = text;
	filter.text = text;
	applyFilter();
	byId('places-title').scrollIntoView({ block: 'start' });
}

function showFrames() {
	byId('elsewhere').hidden = isReport() || isFile() || model.kind !== 'html';
	if (model.kind === 'html') showQuiet(byId('frames'), ['Original', 'Rewritten'], [model.text, model.rewrittenText()]);
	else byId('frames').replaceChildren(element('p', {}, 'Only pages are rendered; this is not one, but a message or a feed.'));
}

// later returns a function that calls f once things have calmed down.
function later(f) {
	let timer;
	return () => {
		clearTimeout(timer);
		timer = setTimeout(f, 150);
	};
}

function wire() {
	byId('search').addEventListener('input', later(() => {
		filter.text = byId('search').value;
		applyFilter();
	}));
	byId('rendered').addEventListener('toggle', () => byId('rendered').open && model && byId('frames').childElementCount === 0 && showFrames());
	byId('elsewhere').addEventListener('click', () => openElsewhere(['Original', 'Rewritten'], [model.text, model.rewrittenText()]));
	byId('part-select').addEventListener('change', (event) => byId('layers').replaceChildren(layersTable(model.documents[event.target.value])));
	byId('options').addEventListener('submit', (event) => event.preventDefault());
	byId('options').addEventListener('input', later(rerun));
	byId('other').addEventListener('click', () => {
		byId('profile').value = otherProfile();
		rerun();
	});
	// What is typed over the URL of a document that was fetched is another one to fetch; and
	// so it is at first, where this server fetches.
	byId('url').addEventListener('input', later(() => doc?.body && doc.from === undefined && !(doc.example && fetches()) && rerun()));
}

async function startReport() {
	byId('status').textContent = 'Unpacking …';
	const views = await reportViews();
	byId('which').hidden = views.length < 2;
	byId('view').replaceChildren(...views.map((v, i) => element('option', { value: i }, visible(v.name))));
	byId('view').addEventListener('change', (event) => show(modelOf(views[event.target.value])));
	if (views.length === 0) throw new Error('No document could be read; absolink said why when it made this report.');
	show(modelOf(views[0]));
}

wire();
if (isReport()) {
	startReport().catch((error) => fail(error));
} else {
	byId('private').hidden = !isFile();
	byId('folder-label').hidden = !isFile();
	byId('file').multiple = isFile();
	if (isFile()) byId('file-label').textContent = 'Open files';
	watchInput(openAll, (error) => fail(error, true));
	showExample();
}
