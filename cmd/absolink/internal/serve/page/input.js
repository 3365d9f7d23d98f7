import { byId, visible } from './dom.js';

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

let take = null; // what watchInput calls with each document

// showExample opens the example.
export function showExample() {
	byId('url').value = exampleURL;
	take({ name: 'example.html', bytes: new TextEncoder().encode(example), type: pasted, example: true });
}

// watchInput calls open with each document that is chosen, dropped, pasted, or named by a
// URL: its name, and its bytes or a promise of them with their type, or its URL. It calls fail
// where there is no document.
export function watchInput(open, fail) {
	let timer; // of a text that is being typed
	take = (opened) => {
		clearTimeout(timer);
		open(opened);
	};
	// own opens a document that is not the example, and was not where the example was.
	const own = (name, bytes, type) => {
		if (byId('url').value === exampleURL) byId('url').value = '';
		take({ name, bytes, type });
	};
	const file = (f) => own(f.name, f.arrayBuffer().then(
		(buffer) => new Uint8Array(buffer),
		() => { throw new Error(`${visible(f.name)} cannot be read: it may be a directory, or have changed since it was chosen.`); },
	), sure.test(f.type) ? f.type : '');
	const text = (s) => own('<pasted>', new TextEncoder().encode(s), pasted);
	byId('file').addEventListener('change', (event) => event.target.files.length > 0 && file(event.target.files[0]));
	// A file that is chosen again is read again.
	byId('file').addEventListener('click', (event) => { event.target.value = ''; });
	byId('paste').addEventListener('input', (event) => {
		clearTimeout(timer);
		timer = setTimeout(() => text(event.target.value), 150);
	});
	// transferred takes what is pasted or dropped.
	const transferred = (data) => {
		const source = data.getData('text/plain');
		if (data.files.length > 1) fail(new Error('Drop one file at a time; absolink --report=html shows several.'));
		else if (data.files.length === 1) file(data.files[0]);
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
		if (url !== '' && fetches()) take({ name: url, url });
	});
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
