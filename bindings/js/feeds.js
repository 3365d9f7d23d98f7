// The entry point absolink/feeds of Node, Deno and Bun.
import { readFileSync } from 'node:fs';
import { api } from './core.js';
import { missing } from './missing.js';

let bytes;
try {
	bytes = readFileSync(new URL('./feeds.wasm', import.meta.url)); // bundlers know this form
} catch (error) {
	throw missing(error);
}
const module = new WebAssembly.Module(bytes);

export const { Rewriter, rewrite, rewriteFeed, rewriteStream, places, resolve } = api(() => module);
