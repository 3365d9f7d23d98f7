// The entry point of bundles for Node: the module is in the bundle, whatever becomes of files.
export { places, resolve, rewrite, Rewriter, rewriteStream } from './inline.js';
