import { element } from './dom.js';

// The listColumns of lists, as absolink list has them.
const listColumns = ['file', 'offset', 'element', 'attr', 'syntax', 'rel', 'raw', 'ref', 'url', 'error'];
const optional = new Set(['attr', 'rel', 'url', 'error']);

const listed = (model) => model.places.filter((p) => p.state !== 'request').map((p) => ({ file: model.name, ...p }));

export function csv(model) {
	const cell = (value) => (/[",\r\n]|^\s/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
	const rows = listed(model).map((p) => listColumns.map((c) => cell(String(p[c] ?? ''))).join(','));
	return [listColumns.join(','), ...rows, ''].join('\n');
}

export function jsonLines(model) {
	const line = (p) => JSON.stringify(Object.fromEntries(listColumns.filter((c) => !optional.has(c) || p[c]).map((c) => [c, p[c] ?? ''])));
	return listed(model).map((p) => `${line(p)}\n`).join('');
}

// fileName returns the last part of a name or URL, or a name for what has none.
function fileName(model) {
	const last = model.name.replace(/[?#].*$/, '').split(/[/\\]/).pop().replace(/[^\w.-]/g, '_');
	return /^[.]*$/.test(last) || model.name.startsWith('<') ? 'document.html' : last;
}

// downloadButtons returns a button for each file that a model can be saved as.
export function downloadButtons(model) {
	const name = fileName(model);
	const kinds = [
		['Rewritten document', name, 'application/octet-stream', () => model.rewritten],
		['List as CSV', `${name}.csv`, 'text/csv', () => csv(model)],
		['List as JSON lines', `${name}.jsonl`, 'application/jsonl', () => jsonLines(model)],
		['Diff', `${name}.diff`, 'text/x-diff', () => model.diffBytes()],
	];
	return kinds.map(([label, file, type, content]) => element('button', { type: 'button', onclick: () => save(file, type, content()) }, label));
}

function save(file, type, content) {
	const url = URL.createObjectURL(new Blob([content], { type }));
	element('a', { href: url, download: file }).click();
	setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
