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

// watchInput calls open with each document that is chosen, dropped, pasted, or named by a
// URL: its name, and its bytes with their type, or its URL. It calls fail where there are
// none.
export function watchInput(open, fail) {
	const file = (f) => f.arrayBuffer().then(
		(buffer) => open({ name: f.name, bytes: new Uint8Array(buffer), type: sure.test(f.type) ? f.type : '' }),
		() => fail(new Error(`${visible(f.name)} cannot be read: it may be a directory, or have changed since it was chosen.`)),
	);
	const text = (s) => open({ name: '<pasted>', bytes: new TextEncoder().encode(s), type: pasted });
	byId('file').addEventListener('change', (event) => event.target.files.length > 0 && file(event.target.files[0]));
	// A file that is chosen again is read again.
	byId('file').addEventListener('click', (event) => { event.target.value = ''; });
	byId('example').addEventListener('click', () => {
		byId('url').value = 'https://example.org/dir/page.html';
		open({ name: 'example.html', bytes: new TextEncoder().encode(example), type: pasted });
	});
	let timer;
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
	byId('input').addEventListener('submit', (event) => {
		event.preventDefault();
		const url = byId('fetch-url').value;
		if (url !== '') {
			byId('url').value = '';
			open({ name: url, url });
		}
	});
}

function watchDrops(transferred) {
	const over = (event) => {
		event.preventDefault();
		document.body.classList.toggle('dropping', event.type === 'dragover');
	};
	addEventListener('dragover', over);
	addEventListener('dragleave', over);
	addEventListener('drop', (event) => {
		over(event);
		transferred(event.dataTransfer);
	});
}
