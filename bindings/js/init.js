// The entry point of programs that bring the module.
import { api, bytesOf } from './core.js';

const isModule = (value) => Object.prototype.toString.call(value) === '[object WebAssembly.Module]';

// init returns the functions of the package over a module, which is compiled, or bytes.
export function init(module) {
	const bytes = bytesOf(module);
	if (!isModule(module) && !bytes) throw new TypeError('init takes absolink.wasm: as a WebAssembly.Module, or its bytes');
	const compiled = bytes ? new WebAssembly.Module(new Uint8Array(bytes)) : module; // a copy, because the bytes may be shared
	if (!WebAssembly.Module.exports(compiled).some(({ name }) => name === 'optionKinds')) throw new TypeError('init takes absolink.wasm; this is another module');
	return api(() => compiled);
}
