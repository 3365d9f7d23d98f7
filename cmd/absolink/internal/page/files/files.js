import { requestRewritten, requestZip } from './api.js';
import { byId, count, element, visible } from './dom.js';
import { save } from './download.js';
import { VirtualList } from './list.js';

// A FileList shows what becomes of several files, and saves them.
export class FileTable {
	// open is called with the document of a file that is to be shown.
	constructor(open) {
		this.files = [];
		this.open = open;
		this.list = new VirtualList(byId('file-list'), (i) => this.row(this.files[i]));
		byId('zip').addEventListener('click', () => this.zip());
		byId('file-list').addEventListener('click', (event) => this.press(event));
	}

	// run rewrites documents with options, and shows what becomes of them.
	async run(docs, options) {
		this.stop?.abort();
		const mine = new AbortController();
		this.stop = mine;
		this.files = docs.map((doc) => ({ doc, says: 'waits', state: '' }));
		byId('files').hidden = false;
		this.tell();
		const names = new Map();
		for (const file of this.files) {
			try {
				const answer = await requestRewritten(file.doc, options, mine.signal);
				file.body = await answer.blob();
				Object.assign(file, described(answer.headers));
				const key = file.name.toLowerCase();
				if (names.has(key)) Object.assign(file, { state: 'failed', says: `not in the ZIP, where ${names.get(key)} has the same name`, twice: true });
				else names.set(key, file.doc.name);
			} catch (error) {
				if (this.stop !== mine) return;
				Object.assign(file, { state: 'failed', says: error.message });
			}
			if (this.stop !== mine) return;
			this.tell();
		}
		this.stop = null;
		this.files.sort((a, b) => (b.state === 'failed') - (a.state === 'failed'));
		this.tell();
	}

	// packed are the files that the ZIP has.
	get packed() { return this.files.filter((f) => f.body && !f.twice); }

	tell() {
		const failed = this.files.filter((f) => f.state === 'failed').length;
		const done = this.files.filter((f) => f.state !== '').length;
		byId('files-status').textContent = this.stop && done < this.files.length ? `${done.toLocaleString('en')} of ${count(this.files.length, 'file')} done …`
			: `${count(this.packed.length, 'file')} rewritten${failed > 0 ? `, ${failed.toLocaleString('en')} not` : ''}.`;
		byId('zip').disabled = this.stop !== null || this.packed.length === 0;
		this.list.show(this.files.length, true);
	}

	row(file) {
		const at = this.files.indexOf(file);
		return element('div', { class: `row ${file.state}`, role: 'listitem' },
			element('button', { type: 'button', 'data-show': at, title: `Show ${visible(file.doc.name)}` }, visible(file.doc.name)),
			element('span', { class: 'says', title: visible(file.says) }, visible(file.says)),
			element('button', { type: 'button', 'data-save': at, disabled: !file.body, 'aria-label': `Save ${visible(file.doc.name)}` }, 'Save'));
	}

	press(event) {
		const { show, save: saved } = event.target.closest?.('button')?.dataset ?? {};
		if (show !== undefined) this.open(this.files[show].doc);
		if (saved !== undefined) save(this.files[saved].name, 'application/octet-stream', this.files[saved].body);
	}

	async zip() {
		byId('zip').disabled = true;
		try {
			save('absolute.zip', 'application/zip', await requestZip(this.packed));
		} catch (error) {
			byId('files-status').textContent = error.message;
		}
		byId('zip').disabled = false;
	}
}

// described says what became of a file, as the header of an answer has it.
function described(header) {
	const n = (name) => Number(header.get(`Absolink-${name}`));
	const more = [[n('Relative'), 'left relative: no base URL is known'], [n('Unresolvable'), 'without an absolute form'], [n('Warnings'), n('Warnings') === 1 ? 'warning' : 'warnings']];
	const says = [n('Rewritten') > 0 ? `${count(n('Rewritten'), 'link')} made absolute` : 'no link changes', ...more.filter(([m]) => m > 0).map(([m, what]) => `${m.toLocaleString('en')} ${what}`)];
	return { name: decodeURIComponent(header.get('Absolink-Name')), says: says.join(', '), state: n('Relative') > 0 ? 'relative' : 'done' };
}
