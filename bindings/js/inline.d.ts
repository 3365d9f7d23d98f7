export { places, resolve, rewrite, Rewriter, rewriteStream } from './index.js';
export type { Bytes, DocumentOptions, Options, Place, Profile, RewriterOptions, Rewritten } from './index.js';
