// The package's functions over a compiled module. Each entry point compiles the module in
// the way of its engine, and calls api.
import { Pool, Stream } from './engine.js';
import { placesIn } from './place.js';
import { decode, encode, encoder, join, split } from './text.js';

const listed = 64 << 10; // bytes of a document in one call of the module
const streamed = 1 << 20;

// piecesOf yields bytes in pieces of a size. What happens between them may change the bytes.
function* piecesOf(bytes, size) {
	const { length } = bytes;
	for (let i = 0; i < length; i += size) {
		if (bytes.length !== length) throw new TypeError('the bytes have been transferred, or have another length, before the document came to its end');
		yield bytes.subarray(i, i + size);
	}
}

const ofDocument = ['charset', 'sheet', 'itemBase'];

// own returns the properties of options themselves: what Object.prototype has is no option.
export const own = (options) => ({ __proto__: null, ...options });

// settingsOf checks options, whose kinds the module knows, and returns them as the module
// takes them, and the functions among them.
function settingsOf(kinds, options, also) {
	isObject(options);
	const fields = [];
	const functions = own();
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
			functions[name] = value.bind(options);
		},
		text: (name, value) => add(name, text(name, value)),
		list: (name, value) => {
			if (!Array.isArray(value)) wrong(name, 'an array of strings');
			add(name, '');
			for (const rule of value) add('rule', text(name, rule));
		},
		texts: (name, value) => {
			if (!Array.isArray(value)) wrong(name, 'an array of strings');
			for (const one of value) add(name, text(name, one));
		},
	};
	for (const [name, value] of Object.entries(options)) {
		if (value === undefined || also.includes(name)) continue;
		if (!kinds.has(name)) throw new TypeError(`no such option: ${JSON.stringify(name)}`);
		check[kinds.get(name)](name, value);
	}
	return { settings: fields.map((f) => `${f}\0`).join(''), functions: Object.keys(functions).length > 0 ? functions : null };
}

function isObject(options) {
	if (options === null || typeof options !== 'object') throw new TypeError('options is not an object');
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

// baseOf checks what references are resolved on, and returns it as the module takes it.
function baseOf(base, profile = 'whatwg') {
	const url = base instanceof URL ? base.href : base;
	if (typeof profile !== 'string') throw new TypeError('profile is not a string');
	if (typeof url !== 'string') throw new TypeError('base is not a string or a URL');
	return [profile, url];
}

// bytesOf returns what holds bytes as a Uint8Array; null is anything else.
export function bytesOf(data) {
	const isBuffer = /^\[object (Shared)?ArrayBuffer\]$/.test(Object.prototype.toString.call(data)); // of any realm
	if (!isBuffer && !ArrayBuffer.isView(data)) return null;
	if (data.byteLength === 0) checkHere(isBuffer, data);
	if (data instanceof Uint8Array) return data;
	return isBuffer ? new Uint8Array(data) : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

// checkHere throws a TypeError where bytes have been transferred, or lie beyond the end of a
// buffer that has become shorter.
function checkHere(isBuffer, data) {
	try {
		if (isBuffer) new Uint8Array(data);
		else data.values?.(); // a DataView has told its length
	} catch (error) {
		throw new TypeError('the bytes have been transferred or cut off, and are no longer here', { cause: error });
	}
}

function documentOf(options = {}) {
	isObject(options);
	for (const [name, value] of Object.entries(options)) {
		if (value !== undefined && !ofDocument.includes(name)) throw new TypeError(`no such option of a document: ${JSON.stringify(name)}`);
	}
	const { charset = '', sheet = false, itemBase = 'link' } = own(options);
	if (typeof sheet !== 'boolean') throw new TypeError('sheet is not true or false');
	if (itemBase !== 'link' && itemBase !== 'feed') throw new TypeError("itemBase is not 'link' or 'feed'");
	return { charset: text('charset', charset), sheet, itemBase };
}

// sourceOf returns a document as the module takes it. A string comes decoded: its charset is
// that of its queries.
function sourceOf(data, { charset, sheet, itemBase }) {
	const kind = (sheet ? ofSheet : 0) | (itemBase === 'feed' ? ofFeed : 0);
	if (typeof data === 'string') {
		const [bytes, stringOf] = encode(data);
		return { bytes, stringOf, charset: charset || 'utf-8', kind: kind | isDecoded };
	}
	const bytes = bytesOf(data);
	if (!bytes) throw new TypeError('the document is not a string or bytes');
	return { bytes, stringOf: decode, charset, kind };
}

// Kinds of documents, as the module has them.
const ofSheet = 1;
const isDecoded = 4;
const ofFeed = 8;

const none = new Uint8Array();

// A document in pieces that nobody can reach is given up.
const unreachable = globalThis.FinalizationRegistry && new FinalizationRegistry((stream) => stream.end('the document has been given up'));

// functions of a run that tells nobody
const quiet = { warn() {}, done() {} };

// A Runner does what a Rewriter does, on instances that others share.
class Runner {
	constructor(pool, options, also) {
		this.pool = pool;
		Object.assign(this, settingsOf(pool.optionKinds(), options, also));
		this.busy = 0; // calls that may call functions of the options
		this.owner = {}; // of the streams
	}

	// check reports wrong options.
	check() { this.pool.use((engine) => engine.rewriterOf(this.settings)); }

	// during runs f, which may call functions of the options.
	during(f) {
		this.busy++;
		try {
			return f();
		} finally {
			this.busy--;
		}
	}

	// call calls a function of the module, which may call functions.
	call(engine, name, values, args, stringOf, functions = this.functions) {
		this.during(() => engine.call(name, values, args, { functions, stringOf }));
	}

	// begin calls a function of the module about a document.
	begin(engine, name, url, source, document, args, functions) {
		const number = engine.rewriterOf(this.settings);
		this.call(engine, name, [urlOf(url), source.charset, ...document], (lengths) => [number, ...args(...lengths)], source.stringOf, functions);
	}

	// whole rewrites a document by a function of the module.
	whole(name, data, url, source, functions) {
		return this.pool.use((engine) => {
			this.begin(engine, name, url, source, [source.bytes], (u, c, d) => [u, c, d, source.kind], functions);
			const result = engine.result();
			if (typeof data === 'string') return source.stringOf(result);
			return globalThis.Buffer?.isBuffer(data) ? globalThis.Buffer.from(result) : result.slice();
		});
	}

	rewrite(data, url, options) {
		const source = sourceOf(data, documentOf(options));
		return this.whole('rewrite', data, url, source);
	}

	// rewriteAsync goes over the document twice: for the places, and with what visit has said of
	// them in between.
	async rewriteAsync(data, url, options = {}) {
		isObject(options);
		const { concurrency = 16, ...others } = own(options);
		if (!Number.isSafeInteger(concurrency) || concurrency < 1) throw new RangeError('concurrency takes a number of calls above 0');
		const source = sourceOf(data, documentOf(others));
		if (typeof data !== 'string') source.bytes = new Uint8Array(source.bytes); // the caller may change them meanwhile
		const { visit, unresolvable } = this.functions ?? {};
		if (!visit) return this.whole('rewrite', data, url, source);
		const [calls, visits] = [[], []];
		const later = (f) => (place) => {
			const call = { f, place: place.kept() };
			calls.push(call);
			if (f === visit) visits.push(call);
		};
		this.whole('rewrite', data, url, source, { ...quiet, visit: later(visit), unresolvable: later(unresolvable) });
		let next = 0;
		const run = async () => {
			try {
				while (next < calls.length) {
					const call = calls[next++];
					call.url = await call.f(call.place);
				}
			} catch (error) {
				next = calls.length; // nothing is called again
				throw error;
			}
		};
		await Promise.all(Array.from({ length: Math.min(concurrency, calls.length) }, run));
		next = 0;
		return this.whole('rewrite', data, url, source, { ...this.functions, unresolvable() {}, visit: () => visits[next++].url });
	}

	rewriteFeed(data, url, options) {
		const of = documentOf(options);
		if (of.sheet) throw new TypeError('a feed is not a style sheet; leave sheet out');
		return this.whole('rewriteFeed', data, url, sourceOf(data, of));
	}

	// opened begins a document in pieces, and returns functions that write a piece, finish
	// it, and give it up. A piece becomes bytes, or the places in them.
	opened(url, source, list) {
		const calls = this.functions !== null;
		return this.pool.use((engine) => {
			this.begin(engine, 'open', url, source, [], (u, c) => [u, c, source.kind, list ? 1 : 0]);
			const stream = new Stream(this.pool, engine, { calls, list, owner: this.owner });
			// Lists share an instance, and a function of one may read another: it runs when the
			// module has returned.
			const waiting = [];
			const later = ([name, f]) => [name, (told) => { waiting.push(() => f(told)); }];
			const functions = list ? Object.fromEntries(Object.entries(this.functions ?? {}).map(later)) : this.functions;
			const call = (last, ...values) => stream.run(() => {
				this.call(engine, last ? 'finish' : 'write', values, (lengths) => [stream.number, ...lengths], source.stringOf, functions);
				const result = engine.result();
				const made = list ? placesIn(result, source.stringOf) : result.slice();
				this.during(() => waiting.splice(0).forEach((f) => f()));
				return made;
			}, last);
			const document = {
				write: (bytes) => call(false, bytes),
				finish: () => call(true),
				drop: () => stream.end('the document has been given up'),
			};
			unreachable?.register(document, stream);
			return document;
		}, { stream: true, list, calls });
	}

	stream(url, options) {
		const of = documentOf(options);
		urlOf(url);
		let document = null;
		let half = ''; // of a surrogate pair, at the end of a string
		let gone = false;
		const send = (controller, bytes) => {
			for (const piece of piecesOf(bytes, streamed)) {
				const made = document.write(piece);
				if (made.length > 0) controller.enqueue(made);
			}
		};
		// Each piece has a turn of its own: the stack is empty then, and no other call runs,
		// although the piece may have been written by a function of the options.
		const inTurn = (f) => async (...args) => {
			await undefined;
			if (gone) return;
			try {
				f(...args);
			} catch (error) {
				document?.drop();
				throw error;
			}
		};
		return new TransformStream({
			transform: inTurn((chunk, controller) => {
				let bytes = bytesOf(chunk);
				if (typeof chunk !== 'string' && !bytes) throw new TypeError('a piece of the document is not a string or bytes');
				if ((bytes ?? chunk).length === 0) return;
				document ??= this.opened(url, sourceOf(bytes ?? '', of), false);
				const before = half;
				half = bytes || !/[\ud800-\udbff]$/.test(chunk) ? '' : chunk.at(-1);
				bytes ??= encoder.encode(before + (half ? chunk.slice(0, -1) : chunk));
				if (before && typeof chunk !== 'string') send(controller, encoder.encode(before));
				send(controller, bytes);
			}),
			flush: inTurn((controller) => {
				document ??= this.opened(url, sourceOf(none, of), false);
				send(controller, encoder.encode(half));
				const made = document.finish();
				if (made.length > 0) controller.enqueue(made);
			}),
			cancel: () => {
				gone = true;
				document?.drop();
			},
		});
	}

	* places(data, url, options) {
		const source = sourceOf(data, documentOf(options));
		const document = this.opened(url, source, true);
		try {
			for (const piece of piecesOf(source.bytes, listed)) yield* document.write(piece);
			yield* document.finish();
		} finally {
			document.drop();
		}
	}

	// free gives up the streams and lists that are not at their ends.
	free() {
		if (this.busy > 0) throw new TypeError('visit, unresolvable, warn and done cannot free the Rewriter that calls them');
		for (const stream of this.pool.streamsOf(this.owner)) stream.end('the Rewriter of this document has been freed');
	}
}

// ofDocumentIn takes the options of a document out of others.
const ofDocumentIn = (options) => {
	const { charset, sheet, itemBase } = own(options);
	return { charset, sheet, itemBase };
};

// api returns the functions of the package over the module that compile returns. It compiles
// the module when it first needs it.
export function api(compile) {
	const pool = new Pool(compile);
	const runner = (options = {}) => new Runner(pool, options, ofDocument);

	class Rewriter {
		#runner;

		constructor(options = {}) {
			this.#runner = new Runner(pool, options, []);
			this.#runner.check();
		}

		rewrite(document, url, options) { return this.#runner.rewrite(document, url, options); }

		rewriteAsync(document, url, options) { return this.#runner.rewriteAsync(document, url, options); }

		rewriteFeed(feed, url, options) { return this.#runner.rewriteFeed(feed, url, options); }

		rewriteStream(url, options) { return this.#runner.stream(url, options); }

		places(document, url, options) { return this.#runner.places(document, url, options); }

		free() { this.#runner.free(); }

		[Symbol.dispose ?? Symbol.for('dispose')]() { this.free(); }
	}

	return {
		Rewriter,
		rewrite: (document, url, options) => runner(options).rewrite(document, url, ofDocumentIn(options)),
		rewriteAsync: async (document, url, options = {}) => {
			isObject(options);
			const { concurrency, ...others } = own(options);
			return runner(others).rewriteAsync(document, url, { ...ofDocumentIn(others), concurrency });
		},
		rewriteFeed: (document, url, options) => runner(options).rewriteFeed(document, url, ofDocumentIn(options)),
		rewriteStream: (url, options) => runner(options).stream(url, ofDocumentIn(options)),
		places: (document, url, options) => runner(options).places(document, url, ofDocumentIn(options)),
		resolve: (ref, base, profile) => {
			if (typeof ref !== 'string') throw new TypeError('ref is not a string');
			const on = baseOf(base, profile);
			return pool.use((engine) => {
				engine.call('resolve', [...on, ref], (lengths) => lengths);
				return decode(engine.result());
			});
		},
		resolveAll: (refs, base, profile) => {
			if (!Array.isArray(refs) || !refs.every((ref) => typeof ref === 'string')) throw new TypeError('refs is not an array of strings');
			const on = baseOf(base, profile);
			const [bytes, lengths] = join(refs);
			return pool.use((engine) => {
				engine.call('resolveAll', [...on, new Uint8Array(lengths.buffer), bytes], ([p, b]) => [p, b, refs.length]);
				return split(engine.result(), refs.length);
			});
		},
	};
}
