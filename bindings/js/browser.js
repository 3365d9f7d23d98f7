// The entry point of browsers.
import { api } from './core.js';

const url = new URL('./absolink.wasm', import.meta.url);
const answer = await fetch(url);
if (!answer.ok) throw new Error(`${url}: status ${answer.status}`);

export const { Rewriter, rewrite, rewriteStream, places, resolve } = api(await WebAssembly.compile(await answer.arrayBuffer()));
