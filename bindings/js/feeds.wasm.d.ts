import type { Module } from './init.js';

/** The compiled module, where the platform or the bundler imports WebAssembly so. */
declare const module: Module;
export default module;
