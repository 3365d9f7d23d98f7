import { readFileSync } from 'node:fs';
import { missing } from './missing.js';

// read returns the compiled module at the URL of a file.
export function read(url) {
	let bytes;
	try {
		bytes = readFileSync(url);
	} catch (error) {
		throw missing(error);
	}
	return new WebAssembly.Module(bytes);
}
