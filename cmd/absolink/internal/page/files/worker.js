import { unpacked } from './bytes.js';
import { wasi } from './wasi.js';

// This runs in the worker of absolink.html. It has the module, and answers requests one after
// another. A message is the packed module, which comes first, or a request.

const piece = 4 << 20; // from how many bytes on the browser holds a part of an answer as it likes
const largest = 64 << 20; // an instance that has more memory gets no other request

let compiled; // a promise of the module
let instance = null;
let said = ''; // why the module has ended itself
let bodies = []; // of the request, each as far as it is not read
let parts = []; // of the answer
let small = []; // the last of them
let length = 0; // of these together
let header = {};

const memory = () => instance.exports.memory.buffer;
const bytes = (at, n) => new Uint8Array(memory(), at >>> 0, n >>> 0);

// fold makes one part of the small ones.
function fold() {
	parts.push(new Blob(small));
	small = [];
	length = 0;
}

const host = {
	read(i, at, n) {
		const next = bodies[i].subarray(0, n);
		bytes(at, next.length).set(next);
		bodies[i] = bodies[i].subarray(next.length);
		return next.length;
	},
	write(at, n) {
		small.push(bytes(at, n).slice());
		length += n;
		if (length >= piece) fold();
	},
	tell(at, n) {
		const [name, value] = new TextDecoder().decode(bytes(at, n)).split(': ');
		header[name] = value;
	},
};

function instanceOf(module) {
	if (instance && memory().byteLength <= largest) return instance;
	said = '';
	instance = new WebAssembly.Instance(module, {
		wasi_snapshot_preview1: wasi(module, memory, (b) => { said = (said + new TextDecoder().decode(b)).slice(0, 4000); }),
		absolink: host,
	});
	instance.exports._initialize();
	return instance;
}

// answer answers a request: its target is a path with a query.
function answer(module, request) {
	bodies = request.bodies.map((buffer) => new Uint8Array(buffer));
	[parts, small, length, header] = [[], [], 0, {}];
	try {
		const { exports } = instanceOf(module);
		const target = new TextEncoder().encode(request.target);
		bytes(exports.room(target.length), target.length).set(target);
		const status = exports.answer();
		fold();
		return { status, header, body: new Blob(parts) };
	} catch (error) {
		instance = null;
		return { status: 500, header: {}, body: new Blob([JSON.stringify({ detail: `absolink has stopped working on this document: ${said.split('\n', 1)[0] || error.message}` })]) };
	} finally {
		[bodies, parts, small] = [[], [], []];
	}
}

onmessage = async ({ data }) => {
	if (data.packed) {
		compiled = unpacked(data.packed).arrayBuffer().then((buffer) => WebAssembly.compile(buffer));
		compiled.catch(() => {}); // each request tells
		return;
	}
	const { number } = data;
	try {
		postMessage({ number, ...answer(await compiled, data) });
	} catch (error) {
		postMessage({ number, error: `This browser cannot run the module of this page: ${error.message}` });
	}
};
