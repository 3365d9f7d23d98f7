// read returns the compiled module in a file, where Node, Deno and Bun find it.
import { readFileSync } from 'node:fs';

export function read(locate) {
	let bytes;
	try {
		bytes = readFileSync(locate());
	} catch (error) {
		throw new Error('the module of absolink is not beside its code: with a bundler that does not copy it, import absolink/inline', { cause: error });
	}
	return new WebAssembly.Module(bytes);
}
