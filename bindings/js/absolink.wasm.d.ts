/** The compiled module, where the platform or the bundler imports WebAssembly so. */
declare const module: WebAssembly.Module;
export default module;
