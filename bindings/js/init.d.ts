import type * as absolink from './index.js';
import type { Bytes } from './index.js';

/** A compiled module: a WebAssembly.Module, where the program has its type. */
export type Module = typeof globalThis extends { WebAssembly: { Module: new (...args: never[]) => infer M } } ? M : object;

/** The functions of the package. */
export type Absolink = Pick<typeof absolink, 'places' | 'resolve' | 'resolveAll' | 'rewrite' | 'rewriteAsync' | 'Rewriter' | 'rewriteFeed' | 'rewriteStream'>;

/** Returns the functions of the package over the module `absolink/absolink.wasm`, compiled, or as bytes. */
export function init(module: Module | Bytes): Absolink;
