// The entry point of Cloudflare Workers, which compile modules before they run.
import { api } from './core.js';
import module from './absolink.wasm';

export const { Rewriter, rewrite, rewriteAsync, rewriteFeed, rewriteStream, places, resolve, resolveAll } = api(() => module);
