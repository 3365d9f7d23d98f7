import { unpacked } from './bytes.js';
import { byId } from './dom.js';
import { Engine } from './engine.js';

export const profiles = ['rfc1808', 'rfc3986', 'whatwg'];

// resolutions are those that a report has, by base and reference.
const resolutions = new Map();
const keyOf = (base, ref) => `${base}\n${ref}`;

// The page has one of three hosts: a server, a report, or a file with a module.
export const isReport = () => byId('data') !== null;
export const isFile = () => byId('module') !== null;

// reportViews returns the views of a report.
export async function reportViews() {
	const views = [];
	for (const line of (await unpacked(byId('data').textContent).text()).split('\n')) {
		if (line === '') continue;
		const value = JSON.parse(line);
		if (value.results) resolutions.set(keyOf(value.base, value.ref), value.results);
		else views.push(value);
	}
	return views;
}

const shows = new Engine(); // what is shown
const saves = new Engine(); // what is saved, meanwhile

// answered sends a request to the server that the page comes from, or to the module.
async function answered(path, query, { type, bodies = [], signal, engine = shows }) {
	const parameters = new URLSearchParams(query);
	const buffers = await Promise.all(bodies.map((body) => body.arrayBuffer())).catch(() => {
		throw new Error('cannot be read: it may be a directory, or have changed since it was chosen');
	});
	signal?.throwIfAborted();
	if (isFile()) {
		if (type) parameters.set('content-type', type);
		return engine.ask(`${path}?${parameters}`, buffers, signal);
	}
	const init = buffers.length > 0 ? { signal, method: 'POST', body: buffers[0], headers: { 'Content-Type': type || 'application/octet-stream' } } : { signal };
	return fetch(`${path}?${parameters}`, init).catch((error) => {
		if (error.name === 'AbortError') throw error;
		throw new Error('absolink serve does not answer: it has ended, or refuses so long a document.');
	});
}

// A Problem is an error that an answer says.
class Problem extends Error {
	constructor(answer, detail) {
		super(detail ?? `${answer.status} ${answer.statusText}`);
		this.tooLong = answer.status === 413;
	}
}

async function ask(path, query, request) {
	const answer = await answered(path, query, request);
	if (answer.ok) return answer;
	throw new Problem(answer, (await answer.json().catch(() => ({}))).detail);
}

// queryOf returns the query for a document, with options.
const queryOf = (doc, options) => [...options, ...(doc.body ? [['name', doc.name]] : [])];

// requestView returns the view of a document: of its body, or of what is at its URL.
export async function requestView(doc, options, signal) {
	if (!doc.body) return (await ask('/view', [...options.filter(([name]) => name !== 'url'), ['url', doc.url]], { signal })).json();
	return (await ask('/view', queryOf(doc, options), { bodies: [doc.body], type: doc.type, signal })).json();
}

// requestRewritten returns the answer with the rewritten document, and what was done.
export function requestRewritten(doc, options, signal) {
	const query = isFile() ? queryOf(doc, options) : options;
	return ask('/rewrite', query, { bodies: [doc.body], type: doc.type, signal, engine: saves });
}

// requestZip returns a ZIP of bodies with names, which a file makes.
export async function requestZip(entries) {
	const answer = await ask('/zip', entries.map(({ name }) => ['name', name]), { bodies: entries.map(({ body }) => body), engine: saves });
	return answer.blob();
}

// resolve returns the resolutions of a reference by each profile, or null where a report
// lacks them.
export async function resolve(base, ref) {
	if (isReport()) return resolutions.get(keyOf(base, ref)) ?? null;
	const results = await Promise.all(profiles.map(async (profile) => {
		const answer = await ask('/resolve', { base, ref, profile, explain: 'true' }, {}).catch((error) => ({ error }));
		return answer.error ? { error: answer.error.message } : answer.json();
	}));
	return Object.fromEntries(profiles.map((profile, i) => [profile, results[i]]));
}
