// The entry point of browsers.
import { api } from './core.js';
import { fetched } from './fetched.js';

const module = await fetched(new URL('./absolink.wasm', import.meta.url));

export const { Rewriter, rewrite, rewriteAsync, rewriteFeed, rewriteStream, places, resolve, resolveAll } = api(() => module);
