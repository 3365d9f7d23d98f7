import { byId } from './dom.js';
import { bytesOf } from './model.js';

export const profiles = ['rfc1808', 'rfc3986', 'whatwg'];

// resolutions are those that a report has, by base and reference.
const resolutions = new Map();
const keyOf = (base, ref) => `${base}\n${ref}`;

export const isReport = () => byId('data') !== null;

// reportViews returns the views of a report.
export async function reportViews() {
	const packed = new Blob([bytesOf(byId('data').textContent)]);
	const text = await new Response(packed.stream().pipeThrough(new DecompressionStream('gzip'))).text();
	const views = [];
	for (const line of text.split('\n')) {
		if (line === '') continue;
		const value = JSON.parse(line);
		if (value.results) resolutions.set(keyOf(value.base, value.ref), value.results);
		else views.push(value);
	}
	return views;
}

// ask sends a request to the server that the page comes from.
async function ask(path, query, init) {
	const answer = await fetch(`${path}?${new URLSearchParams(query)}`, init).catch((error) => {
		if (error.name === 'AbortError') throw error;
		throw new Error('absolink serve does not answer: it has ended, or refuses so long a document.');
	});
	if (answer.ok) return answer;
	const problem = await answer.json().catch(() => ({}));
	throw new Error(problem.detail ?? `${answer.status} ${answer.statusText}`);
}

// requestView returns the view of a document: of its bytes, or of what is at its URL.
export async function requestView(doc, options, signal) {
	const query = { ...options };
	let init = { signal };
	if (doc.bytes) {
		query.name = doc.name;
		init = { signal, method: 'POST', body: await doc.bytes, headers: { 'Content-Type': doc.type || 'application/octet-stream' } };
	} else {
		query.url = doc.url;
	}
	return (await ask('/view', query, init)).json();
}

// resolve returns the resolutions of a reference by each profile, or null where a report
// lacks them.
export async function resolve(base, ref) {
	if (isReport()) return resolutions.get(keyOf(base, ref)) ?? null;
	const results = await Promise.all(profiles.map(async (profile) => {
		const answer = await ask('/resolve', { base, ref, profile, explain: 'true' }).catch((error) => ({ error }));
		return answer.error ? { error: answer.error.message } : answer.json();
	}));
	return Object.fromEntries(profiles.map((profile, i) => [profile, results[i]]));
}
