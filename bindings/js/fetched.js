import { missing } from './missing.js';

// fetched returns the compiled module at a URL, where a browser finds it.
export async function fetched(url) {
	const answer = await fetch(url);
	const bytes = new Uint8Array(await answer.arrayBuffer());
	const isModule = answer.ok && bytes[0] === 0 && bytes[1] === 0x61; // and not a page for whatever is not found
	if (!isModule) throw missing(new Error(`${url}: status ${answer.status}`));
	return WebAssembly.compile(bytes);
}
