// The entry point absolink/feeds of Cloudflare Workers.
import { api } from './core.js';
import module from './feeds.wasm';

export const { Rewriter, rewrite, rewriteFeed, rewriteStream, places, resolve } = api(() => module);
