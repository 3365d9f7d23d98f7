// The package's functions over a compiled module. Each entry point compiles the module in
// the way of its engine, and calls api.

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

// An instance that needs more memory than this is given back after the call.
const largest = 48 << 20;
const piece = 64 << 10; // of a document whose places are listed

const kindsOf = new WeakMap(); // what optionKinds returns, by the module

// An Exit is thrown when the module ends itself, as it does after a panic.
class Exit extends Error {}

// wasi returns the part of WASI that Go's runtime needs: a clock, random numbers, and
// somewhere to say why it panics. There are no files, arguments or variables.
function wasi(module, memory, says) {
	const view = () => new DataView(memory());
	const known = {
		clock_time_get: (id, precision, at) => {
			view().setBigUint64(at, BigInt(Math.round((id === 0 ? Date.now() : performance.now()) * 1e6)), true);
			return 0;
		},
		random_get: (at, n) => {
			for (let i = 0; i < n; i += 65536) crypto.getRandomValues(new Uint8Array(memory(), at + i, Math.min(65536, n - i)));
			return 0;
		},
		fd_write: (fd, at, n, written) => {
			const v = view();
			let sum = 0;
			for (let i = 0; i < n; i++) {
				const length = v.getUint32(at + 8 * i + 4, true);
				says(decoder.decode(new Uint8Array(memory(), v.getUint32(at + 8 * i, true), length)));
				sum += length;
			}
			v.setUint32(written, sum, true);
			return 0;
		},
		args_sizes_get: (count, size) => zero(view(), count, size),
		environ_sizes_get: (count, size) => zero(view(), count, size),
		args_get: () => 0,
		environ_get: () => 0,
		sched_yield: () => 0,
		poll_oneoff: (subscriptions, events, n, count) => {
			view().setUint32(count, n, true);
			return 0;
		},
		fd_fdstat_get: (fd, at) => {
			new Uint8Array(memory(), at, 24).fill(0);
			return 0;
		},
		proc_exit: () => { throw new Exit(); },
	};
	const badFile = () => 8; // EBADF
	return Object.fromEntries(WebAssembly.Module.imports(module).filter((i) => i.module === 'wasi_snapshot_preview1').map((i) => [i.name, known[i.name] ?? badFile]));
}

function zero(view, ...at) {
	for (const a of at) view.setUint32(a, 0, true);
	return 0;
}

// An Engine is an instance of the module. It makes another one where the last has ended.
export class Engine {
	constructor(module) {
		this.module = module;
		this.open = 0; // streams
		this.start();
	}

	start() {
		this.exports = null;
		this.said = '';
		this.calls = null; // the functions of the options, during a call
		this.configured = new Map();
		this.generation = (this.generation ?? 0) + 1;
		this.open = 0;
	}

	instance() {
		if (this.exports) return this.exports;
		const memory = () => this.exports.memory.buffer;
		const told = (f) => (at, n) => {
			try {
				return f(placeAt(new DataView(memory(), at, n)));
			} catch (error) {
				this.thrown ??= { error };
				return -2;
			}
		};
		const { exports } = new WebAssembly.Instance(this.module, {
			wasi_snapshot_preview1: wasi(this.module, memory, (text) => { this.said = (this.said + text).slice(0, 4000); }),
			absolink: {
				visit: told((place) => {
					const url = this.thrown ? undefined : this.calls.visit(place);
					if (this.thrown) return -2;
					if (url === undefined) return -1;
					if (url !== null && typeof url !== 'string') throw new TypeError('visit returned neither a string, null nor undefined; it cannot be async');
					this.taken = encoder.encode(url ?? '');
					return this.taken.length;
				}),
				take: (at) => new Uint8Array(memory(), at, this.taken.length).set(this.taken),
				unresolvable: told((place) => (this.thrown || this.calls.unresolvable(place), 0)),
				warn: (offset, at, n) => {
					try {
						if (!this.thrown) this.calls.warn({ offset, message: decoder.decode(new Uint8Array(memory(), at, n)) });
					} catch (error) {
						this.thrown = { error };
					}
				},
			},
		});
		this.exports = exports;
		this.guard(() => exports._initialize());
		return exports;
	}

	// optionKinds returns the options of a Rewriter, each with the kind of its value.
	optionKinds() {
		if (!kindsOf.has(this.module)) {
			this.call('optionKinds', [], () => []);
			kindsOf.set(this.module, new Map(decoder.decode(this.result()).trim().split('\n').map((line) => line.split(' '))));
		}
		return kindsOf.get(this.module);
	}

	// guard runs f. An error of the instance itself ends the instance.
	guard(f) {
		try {
			return f();
		} catch (error) {
			const why = this.said.split('\n', 1)[0] || error.message;
			this.start();
			throw new Error(`absolink has stopped working on this document: ${why}`, { cause: error });
		}
	}

	// call calls a function of the module with values, which are strings or bytes: in the
	// room, one after another. args makes its arguments from their lengths.
	call(name, values, args, calls = null) {
		const e = this.instance();
		const bytes = values.map((v) => (typeof v === 'string' ? encoder.encode(v) : v));
		const lengths = bytes.map((b) => b.length);
		let status;
		if (this.calls) throw new TypeError('visit, warn and unresolvable cannot use the Rewriter that calls them');
		this.calls = calls;
		this.thrown = null;
		try {
			status = this.guard(() => {
				let at = e.room(lengths.reduce((sum, n) => sum + n, 0)) >>> 0;
				for (const b of bytes) {
					new Uint8Array(e.memory.buffer, at, b.length).set(b);
					at += b.length;
				}
				return e[name](...args(lengths));
			});
			if (this.thrown) throw this.thrown.error;
		} finally {
			this.calls = null;
			this.thrown = null;
		}
		if (status === 0) return;
		const message = decoder.decode(this.result());
		throw status === 2 ? new RangeError(message) : new TypeError(message);
	}

	// result returns what the last call has made. It is good until the next call.
	result() {
		return new Uint8Array(this.exports.memory.buffer, this.exports.result() >>> 0, this.exports.resultLength() >>> 0);
	}

	number() {
		const r = this.result();
		return new DataView(r.buffer, r.byteOffset, 4).getUint32(0, true);
	}

	// settle gives a large memory back, unless a stream needs it.
	settle() {
		if (this.exports && this.open === 0 && this.exports.memory.buffer.byteLength > largest) this.start();
	}

	// rewriterOf returns the number of the Rewriter with options, as settings has them.
	rewriterOf(settings) {
		const e = this.instance();
		const known = this.configured.get(settings);
		if (known !== undefined) return known;
		if (this.configured.size > 1000 && this.open === 0) {
			this.start();
			return this.rewriterOf(settings);
		}
		this.call('configure', [settings], (lengths) => lengths);
		const number = this.number();
		this.configured.set(settings, number);
		return number;
	}
}

const columns = ['element', 'attr', 'syntax', 'rel', 'text', 'raw', 'ref', 'url', 'error'];
const optional = new Set(['attr', 'rel', 'text', 'url', 'error']);

// placeAt reads the place at the start of a view. next, where given, is called with the
// length.
function placeAt(view, next) {
	const place = { offset: view.getFloat64(0, true) };
	let at = 8;
	for (const name of columns) {
		const n = view.getUint32(at, true);
		if (n > 0 || !optional.has(name)) place[name] = decoder.decode(new Uint8Array(view.buffer, view.byteOffset + at + 4, n));
		at += 4 + n;
	}
	next?.(at);
	return place;
}

const ofDocument = ['charset', 'sheet'];

// settingsOf checks options, whose kinds the module knows, and returns them as the module
// takes them.
function settingsOf(kinds, options, also = []) {
	if (options === null || typeof options !== 'object') throw new TypeError('options is not an object');
	const fields = [];
	const add = (name, value) => fields.push(name, value);
	const wrong = (name, what) => { throw new TypeError(`${name} is not ${what}`); };
	const check = {
		flag: (name, value) => {
			if (typeof value !== 'boolean') wrong(name, 'true or false');
			if (value) add(name, 'true');
		},
		number: (name, value) => {
			if (typeof value !== 'number') wrong(name, 'a number');
			if (!Number.isSafeInteger(value) || value <= 0 || value > 0x7fffffff) throw new RangeError(`${name} takes a number of bytes above 0`);
			add(name, String(value));
		},
		function: (name, value) => {
			if (typeof value !== 'function') wrong(name, 'a function');
			add(name, 'true');
		},
		text: (name, value) => add(name, text(name, value)),
		list: (name, value) => {
			if (!Array.isArray(value)) wrong(name, 'an array of strings');
			add(name, '');
			for (const rule of value) add('rule', text(name, rule));
		},
	};
	for (const [name, value] of Object.entries(options)) {
		if (value === undefined || also.includes(name)) continue;
		if (!kinds.has(name)) throw new TypeError(`no such option: ${JSON.stringify(name)}`);
		check[kinds.get(name)](name, value);
	}
	return fields.map((f) => `${f}\0`).join('');
}

function text(name, value) {
	if (typeof value !== 'string') throw new TypeError(`${name} is not a string`);
	if (value.includes('\0')) throw new TypeError(`${name} has a NUL in it`);
	return value;
}

// urlOf checks a URL; undefined and null are none.
function urlOf(url) {
	if (url === undefined || url === null) return '';
	const s = url instanceof URL ? url.href : url;
	if (typeof s !== 'string') throw new TypeError('url is not a string or a URL');
	if (s === '') throw new TypeError('url is empty; leave it out for a document that names its own base');
	return s;
}

// bytesOf returns what holds bytes as a Uint8Array.
function bytesOf(data) {
	if (data instanceof Uint8Array) return data;
	if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
	if (data instanceof ArrayBuffer || (typeof SharedArrayBuffer !== 'undefined' && data instanceof SharedArrayBuffer)) return new Uint8Array(data);
	return null;
}

function documentOf(options = {}) {
	const { charset = '', sheet = false } = options;
	if (typeof sheet !== 'boolean') throw new TypeError('sheet is not true or false');
	return { charset: text('charset', charset), sheet };
}

const isWellFormed = (s) => (s.isWellFormed ? s.isWellFormed() : !/\p{Surrogate}/u.test(s));

// utf16Of returns a string with halves of surrogate pairs as UTF-16, which has them.
function utf16Of(s) {
	const bytes = new Uint8Array(2 * s.length);
	for (let i = 0; i < s.length; i++) {
		const c = s.charCodeAt(i);
		bytes[2 * i] = c & 0xff;
		bytes[2 * i + 1] = c >> 8;
	}
	return bytes;
}

function stringOf(utf16) {
	const parts = [];
	for (let i = 0; i < utf16.length; i += 16384) {
		const units = [];
		for (let j = i; j < Math.min(i + 16384, utf16.length - 1); j += 2) units.push(utf16[j] | (utf16[j + 1] << 8));
		parts.push(String.fromCharCode(...units));
	}
	return parts.join('');
}

// A Runner does what a Rewriter does, on an engine that others may share.
class Runner {
	constructor(engine, options, also) {
		this.engine = engine;
		const kinds = engine.optionKinds();
		this.settings = settingsOf(kinds, options, also);
		this.calls = Object.keys(options).some((name) => kinds.get(name) === 'function' && options[name]) ? options : null;
	}

	// run calls a function of the module that begins with the number of the Rewriter.
	run(name, url, charset, document, args) {
		const number = this.engine.rewriterOf(this.settings);
		this.engine.call(name, [urlOf(url), charset, ...document], (lengths) => args(number, ...lengths), this.calls);
	}

	rewrite(data, url, options, name = 'rewrite') {
		let { charset, sheet } = documentOf(options);
		const bytes = bytesOf(data);
		const isText = typeof data === 'string';
		if (!isText && !bytes) throw new TypeError('the document is not a string or bytes');
		if (isText && charset) throw new TypeError('charset is for bytes: a string has none');
		const wide = isText && !isWellFormed(data);
		if (isText) charset = wide ? 'utf-16le' : 'utf-8';
		try {
			this.run(name, url, charset, [wide ? utf16Of(data) : bytes ?? data], (number, u, c, d) => [number, u, c, d, sheet ? 1 : 0]);
			const result = this.engine.result();
			if (!isText) return result.slice();
			return wide ? stringOf(result) : decoder.decode(result);
		} finally {
			this.engine.settle();
		}
	}

	// open begins a document in pieces, and returns functions that write a piece, finish it,
	// and drop it. Each result is good until the next call.
	open(url, { charset, sheet }, list) {
		const { engine } = this;
		this.run('open', url, charset, [], (number, u, c) => [number, u, c, sheet ? 1 : 0, list ? 1 : 0]);
		const stream = engine.number();
		const { generation } = engine;
		engine.open++;
		let open = true;
		const check = () => {
			if (generation !== engine.generation) throw new Error('absolink has stopped working on another document of the same Rewriter');
		};
		const drop = () => {
			if (!open) return;
			open = false;
			if (generation !== engine.generation) return;
			engine.open--;
			engine.guard(() => engine.exports.drop(stream));
			engine.settle();
		};
		const call = (name, values, args) => {
			check();
			try {
				engine.call(name, values, args, this.calls);
			} catch (error) {
				drop();
				throw error;
			}
			return engine.result();
		};
		return {
			write: (bytes) => call('write', [bytes], (n) => [stream, ...n]),
			finish: () => call('finish', [], () => [stream]),
			drop,
		};
	}

	stream(url, options) {
		const of = documentOf(options);
		urlOf(url);
		let document = null;
		let half = ''; // of a surrogate pair, at the end of a string
		const send = (controller, result) => result.length > 0 && controller.enqueue(result.slice());
		return new TransformStream({
			transform: (chunk, controller) => {
				let bytes = bytesOf(chunk);
				if (typeof chunk === 'string') {
					const whole = half + chunk;
					half = /[\ud800-\udbff]$/.test(whole) ? whole.at(-1) : '';
					bytes = encoder.encode(half ? whole.slice(0, -1) : whole);
					document ??= this.open(url, { ...of, charset: 'utf-8' }, false);
				} else if (!bytes) {
					throw new TypeError('a piece of the document is not a string or bytes');
				}
				document ??= this.open(url, of, false);
				for (let i = 0; i < bytes.length; i += 1 << 20) send(controller, document.write(bytes.subarray(i, i + (1 << 20))));
			},
			flush: (controller) => {
				document ??= this.open(url, of, false);
				if (half) send(controller, document.write(encoder.encode(half)));
				send(controller, document.finish());
				document.drop();
			},
			cancel: () => document?.drop(),
		});
	}

	* places(data, url, options) {
		const of = documentOf(options);
		const bytes = bytesOf(data) ?? (typeof data === 'string' ? encoder.encode(data) : null);
		if (!bytes) throw new TypeError('the document is not a string or bytes');
		const document = this.open(url, typeof data === 'string' ? { ...of, charset: 'utf-8' } : of, true);
		try {
			for (let i = 0; i < bytes.length; i += piece) yield* listed(document.write(bytes.subarray(i, i + piece)));
			yield* listed(document.finish());
		} finally {
			document.drop();
		}
	}
}

// listed returns the places in a result.
function listed(result) {
	const places = [];
	const view = new DataView(result.buffer, result.byteOffset, result.byteLength);
	for (let at = 0; at < result.length;) {
		places.push(placeAt(new DataView(view.buffer, view.byteOffset + at, result.length - at), (n) => { at += n; }));
	}
	return places;
}

// split takes the options of a document out of others.
const split = ({ charset, sheet } = {}) => ({ charset, sheet });

// api returns the functions of the package over a compiled module.
export function api(module) {
	let shared = new Engine(module);
	// A function of the options may itself call these functions.
	const runner = (options = {}) => new Runner(shared.calls ? new Engine(module) : shared, options, ofDocument);

	class Rewriter {
		#runner;

		constructor(options = {}) {
			this.#runner = new Runner(new Engine(module), options, []);
			this.#runner.engine.rewriterOf(this.#runner.settings); // reports wrong options
		}

		rewrite(document, url, options) { return this.#runner.rewrite(document, url, options); }

		rewriteStream(url, options) { return this.#runner.stream(url, options); }

		places(document, url, options) { return this.#runner.places(document, url, options); }

		free() { this.#runner.engine.start(); }

		[Symbol.dispose ?? Symbol.for('dispose')]() { this.free(); }
	}

	return {
		Rewriter,
		rewrite: (document, url, options) => runner(options).rewrite(document, url, split(options)),
		rewriteFeed: (document, url, options) => runner(options).rewrite(document, url, split(options), 'rewriteFeed'),
		rewriteStream: (url, options) => runner(options).stream(url, split(options)),
		places: (document, url, options) => runner(options).places(document, url, split(options)),
		resolve: (ref, base, profile = 'whatwg') => {
			for (const [name, value] of Object.entries({ ref, profile })) if (typeof value !== 'string') throw new TypeError(`${name} is not a string`);
			const engine = shared.calls ? new Engine(module) : shared;
			engine.call('resolve', [profile, urlOf(base), ref], (lengths) => lengths);
			return decoder.decode(engine.result());
		},
	};
}
