import { element } from './dom.js';

// fileName returns the last part of a name or URL, or a name for what has none.
export function fileName(model) {
	const last = model.name.replace(/[?#].*$/, '').split(/[/\\]/).pop().replace(/[^\p{L}\p{M}\p{N}_.-]/gu, '_');
	return /^[.]*$/.test(last) || model.name.startsWith('<') ? 'document.html' : last;
}

// downloadButtons returns a button for each file that a model can be saved as.
export function downloadButtons(model) {
	const name = fileName(model);
	const button = (label, file, type, content) => element('button', {
		type: 'button', disabled: content === null, onclick: () => save(file, type, content()),
	}, label);
	return [
		button('Rewritten document', name, 'application/octet-stream', () => model.rewritten),
		button('List as CSV', `${name}.csv`, 'text/csv', model.csv),
		button('List as JSON lines', `${name}.jsonl`, 'application/jsonl', model.jsonLines),
		button(model.diff ? 'Diff' : 'Diff: nothing changes', `${name}.diff`, 'text/x-diff', model.diff ? model.diffBytes : null),
		model.csv && model.jsonLines ? '' : element('p', {}, 'A list is too long for this page; absolink list prints it.'),
	];
}

// save saves content as a file.
export function save(file, type, content) {
	const url = URL.createObjectURL(new Blob([content], { type }));
	element('a', { href: url, download: file }).click();
	setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
