import type * as feeds from './feeds.js';
import type { Bytes } from './index.js';

/** A compiled module: a WebAssembly.Module, where the program has its type. */
export type Module = typeof globalThis extends { WebAssembly: { Module: new (...args: never[]) => infer M } } ? M : object;

/** The functions of the package. `rewriteFeed` throws a TypeError unless the module is `absolink/feeds.wasm`. */
export type Absolink = Pick<typeof feeds, 'places' | 'resolve' | 'rewrite' | 'Rewriter' | 'rewriteFeed' | 'rewriteStream'>;

/**
 * Returns the functions of the package over a module: `absolink/absolink.wasm` or `absolink/feeds.wasm`, compiled, or as
 * bytes.
 */
export function init(module: Module | Bytes): Absolink;
