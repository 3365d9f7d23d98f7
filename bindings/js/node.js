// The entry point of Node, Deno and Bun.
import { api } from './core.js';
import { read } from './read.js';

const module = read(new URL('./absolink.wasm', import.meta.url)); // bundlers know this form

export const { Rewriter, rewrite, rewriteAsync, rewriteFeed, rewriteStream, places, resolve, resolveAll } = api(() => module);
