// The entry point of programs that bring the module.
import { api } from './core.js';

// init returns the functions of the package over a module, which is compiled, or bytes.
export function init(module) {
	const compiled = module instanceof WebAssembly.Module ? module : new WebAssembly.Module(module);
	return api(() => compiled);
}
