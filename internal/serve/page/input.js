import { byId } from './dom.js';

const pasted = 'text/plain; charset=utf-8';

// watchInput calls open with each document that is chosen, dropped, pasted, or named by a
// URL: its name, and its bytes with their type, or its URL.
export function watchInput(open) {
	const file = async (f) => open({ name: f.name, bytes: new Uint8Array(await f.arrayBuffer()), type: f.type });
	const text = (s) => open({ name: '<pasted>', bytes: new TextEncoder().encode(s), type: pasted });
	byId('file').addEventListener('change', (event) => event.target.files.length > 0 && file(event.target.files[0]));
	let timer;
	byId('paste').addEventListener('input', (event) => {
		clearTimeout(timer);
		timer = setTimeout(() => text(event.target.value), 150);
	});
	addEventListener('paste', (event) => {
		if (event.target.closest?.('input, textarea')) return;
		const [f] = event.clipboardData.files;
		const source = event.clipboardData.getData('text/plain');
		if (f) file(f);
		else if (source !== '') text(source);
	});
	byId('input').addEventListener('submit', (event) => {
		event.preventDefault();
		const url = byId('fetch-url').value;
		if (url !== '') {
			byId('url').value = '';
			open({ name: url, url });
		}
	});
	watchDrops(file, text);
}

function watchDrops(file, text) {
	const over = (event) => {
		event.preventDefault();
		document.body.classList.toggle('dropping', event.type === 'dragover');
	};
	addEventListener('dragover', over);
	addEventListener('dragleave', over);
	addEventListener('drop', (event) => {
		over(event);
		const [f] = event.dataTransfer.files;
		const source = event.dataTransfer.getData('text/plain');
		if (f) file(f);
		else if (source !== '') text(source);
	});
}
