export { places, resolve, rewrite, rewriteFeed, Rewriter, rewriteStream } from './feeds.js';
export type { Bytes, DocumentOptions, Options, Place, Profile, RewriterOptions, Rewritten } from './index.js';
