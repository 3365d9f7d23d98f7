// The entry point of Node, Deno and Bun.
import { readFileSync } from 'node:fs';
import { api } from './core.js';
import { missing } from './missing.js';

let bytes;
try {
	bytes = readFileSync(new URL('./absolink.wasm', import.meta.url)); // bundlers know this form
} catch (error) {
	throw missing(error);
}
const module = new WebAssembly.Module(bytes);

export const { Rewriter, rewrite, rewriteStream, places, resolve } = api(() => module);
