// The entry point that carries the module in itself: it reads no file and asks no network,
// whatever a bundler makes of it.
import { carried, length } from './carried.js';
import { api } from './core.js';
import { inflate } from './inflate.js';

function compile() {
	if (Uint8Array.fromBase64) return new WebAssembly.Module(inflate(Uint8Array.fromBase64(carried), length));
	const text = atob(carried);
	const bytes = new Uint8Array(text.length);
	for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
	return new WebAssembly.Module(inflate(bytes, length));
}

export const { Rewriter, rewrite, rewriteAsync, rewriteFeed, rewriteStream, places, resolve, resolveAll } = api(compile);
