// The entry point of Node, Deno and Bun.
import { readFileSync } from 'node:fs';
import { api } from './core.js';

export const { Rewriter, rewrite, rewriteStream, places, resolve } = api(new WebAssembly.Module(readFileSync(new URL('./absolink.wasm', import.meta.url))));
