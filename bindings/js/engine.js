// Instances of the compiled module.
import { attributesAt, readPlace, resultAt } from './place.js';
import { decode, encoder } from './text.js';
import { wasi } from './wasi.js';

// An instance that has more memory than this is given no other document.
const largest = 48 << 20;
// Neither is an instance that knows so many settings, or settings of such a length.
const mostSettings = 1000;
const mostSettingsLength = 1 << 20;
// An instance has 4 GiB of addresses, for a document, its rewritten form, and what it takes.
const longest = 1 << 30;
// How deep functions of the options may call the package, which takes an instance each.
const deepest = 16;

// of calls that are about no document
const alone = { functions: null, stringOf: decode };

// reach takes n frames of JavaScript's stack, of 200 bytes or more. A list can be read at any
// depth of the stack; if the module met its end, the instance would end, and with it the
// documents of others.
const reach = (n, a, b, c, d, e, f, g, h, i, j, k, l, m) => (n === 0 ? 0 : 1 + reach(n - 1, a, b, c, d, e, f, g, h, i, j, k, l, m));
const enough = 600; // for a call of the module

// A Shown is a place that a function of the options is given.
class Shown {
	#engine;

	constructor(engine) { this.#engine = engine; }

	attribute(name) { return this.#engine.attribute(this, name); }

	// kept returns a place that can be read at any time.
	kept() {
		const all = this.#engine.attributes();
		return Object.assign(new Kept(all), this);
	}
}

// A Kept is a place whose attributes have been read.
class Kept {
	#attributes;

	constructor(attributes) { this.#attributes = attributes; }

	attribute(name) { return this.#attributes.get(String(name).replace(/[A-Z]/g, (c) => c.toLowerCase())) ?? null; }
}

// An Engine is an instance of the module. After an error of the instance itself it is dead.
export class Engine {
	constructor(module) {
		this.dead = '';
		this.said = '';
		this.running = null; // what call was given, during a call
		this.thrown = null; // what a function of the options has thrown in this call
		this.shown = null; // the place that a function of the options has been given
		this.all = new Map(); // attributes that have been read last
		this.taken = null; // the bytes of the URL that visit has returned
		this.streams = new Set(); // documents in pieces that are neither finished nor given up
		this.lists = 0; // of the streams
		this.calling = 0; // of the streams: their options have functions, which run in its calls
		this.dropped = []; // numbers of streams that are given up after the call
		this.configured = new Map(); // the numbers of Rewriters, by their settings
		this.settingsLength = 0;
		this.worn = false;
		const memory = () => this.exports.memory.buffer;
		const told = (f) => (...args) => {
			if (this.thrown) return -2;
			try {
				return f(this.running.functions, ...args);
			} catch (error) {
				if (this.dead) throw error;
				this.thrown = { error };
				return -2;
			} finally {
				this.shown = null;
			}
		};
		const bytes = (at, n) => new Uint8Array(memory(), at >>> 0, n);
		const place = (at, n) => {
			this.shown = new Shown(this);
			readPlace(this.shown, new DataView(memory(), at >>> 0, n), this.running.stringOf);
			return this.shown;
		};
		this.exports = new WebAssembly.Instance(module, {
			wasi_snapshot_preview1: wasi(module, memory, (bytes) => { this.said = (this.said + decode(bytes)).slice(0, 4000); }),
			absolink: {
				visit: told((functions, at, n) => {
					const url = functions.visit(place(at, n));
					if (url === undefined) return -1;
					if (url !== null && typeof url !== 'string') {
						if (typeof url?.then === 'function') Promise.resolve(url).catch(() => {}); // the TypeError says what is wrong
						throw new TypeError('visit returned neither a string, null nor undefined; it cannot be async, except in rewriteAsync');
					}
					this.taken = encoder.encode(url ?? '');
					return this.taken.length;
				}),
				take: (at) => bytes(at, this.taken.length).set(this.taken),
				unresolvable: told((functions, at, n) => (functions.unresolvable(place(at, n)), 0)),
				done: told((functions, at, n) => (functions.done(resultAt(new DataView(memory(), at >>> 0, n))), 0)),
				warn: told((functions, offset, at, n) => (functions.warn({ offset, message: decode(bytes(at, n)) }), 0)),
			},
		}).exports;
		this.guard(() => this.exports._initialize());
	}

	// guard runs f. An error of the instance itself ends the instance.
	guard(f) {
		try {
			return f();
		} catch (error) {
			this.dead = this.said.split('\n', 1)[0] || error.message || 'the module has ended';
			this.exports = null;
			throw new Error(`absolink has stopped working on this document: ${this.dead}`, { cause: error });
		}
	}

	// call calls a function of the module with values, which are strings or bytes: in the
	// room, one after another. args makes its arguments from their lengths. What can go
	// wrong outside the module does so before it runs, because others have documents there.
	call(name, values, args, running = alone) {
		if (this.dead) throw new Error(`absolink has stopped working on another document: ${this.dead}`);
		if (this.running) throw new TypeError('the instance is within a call');
		const bytes = values.map((v) => (typeof v === 'string' ? encoder.encode(v) : v));
		const lengths = bytes.map((b) => b.length);
		const length = lengths.reduce((sum, n) => sum + n, 0);
		if (length > longest) throw new RangeError('the document is longer than 1 GiB, the most for one call; rewriteStream takes documents of any length');
		let status;
		this.running = running;
		this.thrown = null;
		try {
			let at = this.guard(() => this.exports.room(length)) >>> 0;
			for (const [i, n] of lengths.entries()) {
				new Uint8Array(this.exports.memory.buffer, at, n).set(bytes[i].subarray(0, n)); // shared bytes may have become more
				at += n;
			}
			status = this.guard(() => this.exports[name](...args(lengths)));
			if (this.thrown) throw this.thrown.error;
		} finally {
			this.running = null;
			this.thrown = null;
			for (const number of this.dropped.splice(0)) this.drop(number);
		}
		if (status === 0) return;
		const message = decode(this.result());
		throw status === 2 ? new RangeError(message) : new TypeError(message);
	}

	// attribute reads an attribute of the element of a place.
	attribute(place, name) {
		if (place !== this.shown) throw new TypeError('attribute reads a place while visit or unresolvable is given it, and not of a list');
		const bytes = encoder.encode(name);
		const { memory } = this.exports;
		const at = this.guard(() => this.exports.askRoom(bytes.length)) >>> 0;
		new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
		const found = this.guard(() => this.exports.ask()) >>> 0;
		return found === 0 ? null : decode(new Uint8Array(memory.buffer, found + 4, new DataView(memory.buffer).getUint32(found, true)));
	}

	// attributes reads all attributes of the element of the place that a function is given. The
	// places of an element share the Map.
	attributes() {
		const at = this.guard(() => this.exports.askAll()) >>> 0;
		if (at !== 0) this.all = attributesAt(new DataView(this.exports.memory.buffer, at));
		return this.all;
	}

	// drop gives up the stream with a number.
	drop(number) {
		if (this.running) this.dropped.push(number);
		else if (!this.dead) this.guard(() => this.exports.drop(number));
	}

	// result returns what the last call has made. It is good until the next call.
	result() {
		const [at, length] = [this.exports.result() >>> 0, this.exports.resultLength() >>> 0];
		return new Uint8Array(this.exports.memory.buffer, at, length);
	}

	number() {
		const r = this.result();
		return new DataView(r.buffer, r.byteOffset, 4).getUint32(0, true);
	}

	// rewriterOf returns the number of the Rewriter with options, as settings has them.
	rewriterOf(settings) {
		const known = this.configured.get(settings);
		if (known !== undefined) return known;
		this.call('configure', [settings], (lengths) => lengths);
		const number = this.number();
		this.configured.set(settings, number);
		this.settingsLength += settings.length;
		return number;
	}

	// isWorn reports whether no other document is to come to the instance.
	isWorn() {
		return this.dead !== '' || this.exports.memory.buffer.byteLength > largest || this.configured.size >= mostSettings || this.settingsLength > mostSettingsLength;
	}
}

// A Stream is a document in pieces, in an instance that it shares. It leads to no function of
// the options, so that a function may lead to the document, and both be forgotten.
export class Stream {
	constructor(pool, engine, { calls, list, owner }) {
		Object.assign(this, { pool, engine, calls, list, owner, number: engine.number(), ended: '' });
		engine.streams.add(this);
		this.count(1);
	}

	count(n) {
		if (this.list) this.engine.lists += n;
		else if (this.calls) this.engine.calling += n;
	}

	check() { if (this.ended) throw new Error(this.ended); }

	// run returns what f returns, which calls the module. After an error, or the last call, the
	// stream is gone.
	run(f, last) {
		this.check();
		if (this.list) reach(enough);
		try {
			const made = f();
			if (last) this.end('the document has come to its end', true);
			return made;
		} catch (error) {
			this.end('the document has been given up after an error');
			throw error;
		} finally {
			this.pool.give(this.engine);
		}
	}

	// end ends the stream. why is the error of later calls. gone says that the module has ended it.
	end(why, gone = false) {
		if (this.ended) return;
		this.ended = why;
		this.engine.streams.delete(this);
		this.count(-1);
		if (!gone) this.engine.drop(this.number);
		this.pool.give(this.engine);
	}
}

// what a document that is whole needs of an instance
const whole = { stream: false, list: false, calls: false };

// A Pool has the instances of a module. A document that is whole has one for itself, and can
// end no other document. Streams share an instance, as do lists; functions of the options may
// read a list, so no list is where a stream has such functions. There are more instances where
// a function calls the package, or one is worn.
export class Pool {
	constructor(compile) {
		this.compile = compile;
		this.engines = [];
	}

	get module() { return this.compiled ??= this.compile(); }

	// take returns an instance for a document.
	take({ stream, list, calls }) {
		if (list) reach(enough);
		const shares = (e) => stream && (list ? e.calling === 0 : !calls || e.lists === 0);
		let engine = this.engines.find((e) => !e.running && !e.worn && (e.streams.size === 0 || shares(e)));
		if (!engine) {
			if (this.engines.filter((e) => e.running).length >= deepest) throw new RangeError(`functions of the options call absolink within calls of absolink, ${deepest} deep`);
			engine = new Engine(this.module);
			this.engines.push(engine);
		}
		return engine;
	}

	// give takes an instance back after a call. One that is worn stays until its streams have
	// come to their ends; of those that have nothing to do, two stay.
	give(engine) {
		engine.worn = engine.isWorn();
		if (engine.running || engine.streams.size > 0) return;
		const idle = this.engines.filter((e) => !e.running && e.streams.size === 0);
		if (engine.worn || idle.length > 2) this.engines = this.engines.filter((e) => e !== engine);
	}

	// use returns what f returns of an instance.
	use(f, need = whole) {
		const engine = this.take(need);
		try {
			return f(engine);
		} finally {
			this.give(engine);
		}
	}

	// streamsOf returns the streams of an owner.
	streamsOf(owner) {
		return this.engines.flatMap((e) => [...e.streams].filter((s) => s.owner === owner));
	}

	// optionKinds returns the options of a Rewriter, each with the kind of its value.
	optionKinds() {
		return this.kinds ??= this.use((engine) => {
			engine.call('optionKinds', [], () => []);
			return new Map(decode(engine.result()).trim().split('\n').map((line) => line.split(' ')));
		});
	}
}
