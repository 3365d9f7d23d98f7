import { isFile } from './api.js';
import { byId, count } from './dom.js';

const pasted = 'text/plain; charset=utf-8';

// Browsers take the type of a file from its name. These types count; otherwise the file
// shows what it is.
const sure = /^(text\/html|text\/css|application\/xhtml\+xml)$/;

const example = `<!doctype html>
<title>Example</title>
<base href="/docs/">
<a href="chapter1.html;v=2?q#start">A relative reference</a>
<a href="../../../up">More dots than there are levels: profiles differ</a>
<a href="https://other.example/">A link that is absolute already</a>
<a href="a&#10;&lt;b">A line break and a bracket: no browser fetches it</a>
<img src="a.png" srcset="b.png 2x" data-src="lazy.png" alt="">
<svg><use href="#icon"/></svg>
`;

const exampleURL = 'https://example.org/dir/page.html';

// fetches reports whether the server fetches documents.
export const fetches = () => !byId('fetch-button').hidden;

const mostFiles = 10_000; // at once

let take = null; // what watchInput calls with documents

// showExample opens the example.
export function showExample() {
	byId('url').value = exampleURL;
	take([{ name: 'example.html', body: new Blob([example]), type: pasted, example: true }]);
}

// watchInput calls open with the documents that are chosen, dropped, pasted, or named by a URL:
// each has a name, and a body with its type, or its URL. It calls fail where there is none.
export function watchInput(open, fail) {
	let timer; // of a text that is being typed
	take = (opened) => {
		clearTimeout(timer);
		open(opened);
	};
	// own opens documents that are not the example, and were not where the example was.
	const own = (docs) => {
		if (byId('url').value === exampleURL) byId('url').value = '';
		take(docs);
	};
	const several = (files) => {
		if (files.length > mostFiles) fail(new Error(`These are ${count(files.length, 'file')}; open ${mostFiles.toLocaleString('en')} at a time.`));
		else if (files.length > 0) own(files.map(({ file, name }) => ({ name, body: file, type: sure.test(file.type) ? file.type : '' })));
	};
	const chosen = (list) => several([...list].map((file) => ({ file, name: file.webkitRelativePath || file.name })));
	const text = (s) => own([{ name: '<pasted>', body: new Blob([s]), type: pasted }]);
	for (const id of ['file', 'folder']) {
		byId(id).addEventListener('change', (event) => chosen(event.target.files));
		// A file that is chosen again is read again.
		byId(id).addEventListener('click', (event) => { event.target.value = ''; });
	}
	byId('paste').addEventListener('input', (event) => {
		clearTimeout(timer);
		timer = setTimeout(() => text(event.target.value), 150);
	});
	// transferred takes what is pasted or dropped.
	const transferred = (data) => {
		const source = data.getData('text/plain');
		if (isFile() && data.files.length > 0) filesIn(data).then(several, fail);
		else if (data.files.length > 1) fail(new Error('Drop one file at a time here. The file absolink.html takes several, and folders.'));
		else if (data.files.length === 1) chosen(data.files);
		else if (source !== '') text(source);
	};
	addEventListener('paste', (event) => {
		if (!event.target.closest?.('input, textarea')) transferred(event.clipboardData);
	});
	watchDrops(transferred);
	watchURL();
	byId('input').addEventListener('submit', (event) => {
		event.preventDefault();
		const url = byId('url').value;
		if (url !== '' && fetches()) take([{ name: url, url }]);
	});
}

// filesIn returns the files of a transfer, those in folders too, with their paths.
async function filesIn(data) {
	// All is taken before the first await, after which a transfer is empty.
	const items = [...data.items].filter((item) => item.kind === 'file').map((item) => {
		const entry = item.webkitGetAsEntry?.();
		return { file: item.getAsFile(), folder: entry?.isDirectory ? entry : null, handle: entry?.isDirectory ? item.getAsFileSystemHandle?.() : null };
	});
	const files = [];
	for (const { file, folder, handle } of items) {
		if (!folder) files.push({ file, name: file.name });
		else await (handle ? addHandle(await handle, '', files) : addEntry(folder, '', files)).catch(() => { throw new Error(`The folder ${folder.name} cannot be read as it was dropped: “Open a folder” opens it.`); });
	}
	return files;
}

// addHandle adds the files of a folder, as Chromium gives them to a page from file:, which may not
// read entries.
async function addHandle(handle, above, files) {
	const name = above + handle.name;
	if (files.length > mostFiles) return;
	if (handle.kind === 'file') files.push({ file: await handle.getFile(), name });
	else for await (const inside of handle.values()) await addHandle(inside, `${name}/`, files);
}

// addEntry adds the files of a folder, as other browsers give them.
async function addEntry(entry, above, files) {
	const name = above + entry.name;
	if (files.length > mostFiles) return;
	if (entry.isFile) {
		files.push({ file: await new Promise((resolve, reject) => { entry.file(resolve, reject); }), name });
		return;
	}
	const reader = entry.createReader();
	for (let some; some?.length !== 0;) { // a browser gives up to 100 entries at a time
		some = await new Promise((resolve, reject) => { reader.readEntries(resolve, reject); });
		for (const inside of some) await addEntry(inside, `${name}/`, files);
	}
}

// watchURL selects the URL of the example where the field takes the focus: what is typed
// there takes its place.
function watchURL() {
	const field = byId('url');
	let fresh = false;
	field.addEventListener('focus', () => {
		fresh = field.value === exampleURL;
		if (fresh) field.select();
	});
	field.addEventListener('click', () => {
		if (fresh) field.select(); // the click has put the caret
		fresh = false;
	});
}

// While a file is dragged over the page, style.css leaves only the body and an open dialog for the
// pointer to hit. An element that is replaced meanwhile, because a document has just been read,
// would take the drop with it.
function watchDrops(transferred) {
	let below = null;
	const dropping = (on) => document.body.classList.toggle('dropping', on);
	// Where what is below the pointer has just changed, a dragenter stands for a dragover. If it
	// is not taken, the browser opens the file itself.
	const over = (event) => {
		event.preventDefault();
		if (event.type === 'dragenter') below = event.target;
		dropping(true);
	};
	addEventListener('dragenter', over);
	addEventListener('dragover', over);
	// The dragenter of an element comes before the dragleave of the element before it.
	addEventListener('dragleave', (event) => event.target === below && dropping(false));
	// No dragleave comes where a browser forgets it. The pointer moves when nothing is dragged.
	addEventListener('pointermove', () => dropping(false));
	addEventListener('drop', (event) => {
		event.preventDefault();
		dropping(false);
		transferred(event.dataTransfer);
	});
}
