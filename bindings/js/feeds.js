// The functions of the package with feeds, for Node.
import { readFileSync } from 'node:fs';
import { api } from './core.js';

export const { rewrite, rewriteFeed } = api(new WebAssembly.Module(readFileSync(new URL('./feeds.wasm', import.meta.url))));
