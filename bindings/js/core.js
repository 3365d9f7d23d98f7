// The package's functions over a compiled module. Each entry point compiles the module in
// the way of its engine, and calls api.
import { Pool } from './engine.js';
import { placesIn } from './place.js';
import { decode, encode, encoder } from './text.js';

const piece = 64 << 10; // of a document whose places are listed

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

// sourceOf returns a document as the module takes it. A string comes decoded: its charset is
// that of its queries.
function sourceOf(data, { charset, sheet }) {
	const kind = sheet ? ofSheet : 0;
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

const beforeRoot = /\s*(?:<\?[^]*?\?>|<!--[^]*?-->|<!doctype[^>]*>)/iy; // of an XML document
const feedRoot = /\s*<(?:rss|feed|rdf:rdf|urlset|sitemapindex)[\s>]/iy;
const jsonFeed = /^\s*\{[^]*"https:\/\/jsonfeed\.org\/version\//;

// isFeed reports whether a document is a feed by its first 1024 bytes.
function isFeed(bytes) {
	const start = decode(bytes.subarray(0, 1024)).replace(/^\ufeff/, '');
	let at = 0;
	for (beforeRoot.lastIndex = 0; beforeRoot.test(start);) at = beforeRoot.lastIndex;
	feedRoot.lastIndex = at;
	return feedRoot.test(start) || jsonFeed.test(start);
}

// A Stream is a document in pieces, in an instance that it shares.
class Stream {
	constructor(runner, engine, stringOf, list) {
		Object.assign(this, { runner, engine, stringOf, list, number: engine.number(), ended: '' });
		this.count(1);
		runner.open.add(this);
	}

	count(n) {
		this.engine.streams += n;
		if (this.list) this.engine.lists += n;
		else if (this.runner.functions) this.engine.calling += n;
	}

	// call calls a function of the module. After an error, or the last call, the stream is gone.
	call(name, values, args, last = false) {
		if (this.ended) throw new Error(this.ended);
		try {
			this.runner.call(this.engine, name, values, args, this.stringOf);
			if (last) this.end('the document has come to its end', true);
		} catch (error) {
			this.end('the document has been given up after an error');
			throw error;
		} finally {
			this.runner.pool.give(this.engine);
		}
		return this.engine.result();
	}

	// end ends the stream. why is the error of later calls. gone says that the module has ended it.
	end(why, gone = false) {
		if (this.ended) return;
		this.ended = why;
		this.runner.open.delete(this);
		this.count(-1);
		if (!gone) this.engine.drop(this.number);
		this.runner.pool.give(this.engine);
	}
}

// A document in pieces that nobody can go on with is given up.
const unreachable = globalThis.FinalizationRegistry && new FinalizationRegistry((stream) => stream.end('the document has been given up'));

const enqueue = (controller, result) => result.length > 0 && controller.enqueue(result.slice());

// A Runner does what a Rewriter does, on instances that others share.
class Runner {
	constructor(pool, options, also) {
		this.pool = pool;
		const kinds = pool.optionKinds();
		this.settings = settingsOf(kinds, options, also);
		const calls = Object.keys(options).some((name) => kinds.get(name) === 'function' && options[name]);
		this.functions = calls ? options : null;
		this.running = 0; // calls
		this.open = new Set(); // the streams that are neither finished nor given up
	}

	// check reports wrong options.
	check() { this.pool.use((engine) => engine.rewriterOf(this.settings)); }

	// warnOfFeed is given the start of a document that is to be read as HTML.
	warnOfFeed(start) {
		if (this.functions?.warn && isFeed(start)) this.functions.warn({ offset: 0, message: 'the document is a feed, and is read as HTML: rewriteFeed of absolink/feeds reads it as a feed' });
	}

	// call calls a function of the module.
	call(engine, name, values, args, stringOf) {
		this.running++;
		try {
			engine.call(name, values, args, { functions: this.functions, stringOf });
		} finally {
			this.running--;
		}
	}

	// begin calls a function of the module about a document.
	begin(engine, name, url, source, document, args) {
		const number = engine.rewriterOf(this.settings);
		this.call(engine, name, [urlOf(url), source.charset, ...document], (lengths) => [number, ...args(...lengths)], source.stringOf);
	}

	rewrite(data, url, options, name = 'rewrite') {
		const source = sourceOf(data, documentOf(options));
		if (name === 'rewrite') this.warnOfFeed(source.bytes);
		return this.pool.use((engine) => {
			if (!engine.exports[name]) throw new TypeError('the module has no feeds: feeds.wasm has them');
			this.begin(engine, name, url, source, [source.bytes], (u, c, d) => [u, c, d, source.kind]);
			const result = engine.result();
			return typeof data === 'string' ? source.stringOf(result) : result.slice();
		}, this.functions !== null);
	}

	// opened begins a document in pieces, and returns functions that write a piece, finish
	// it, and give it up. Each result is good until the next call.
	opened(url, source, list) {
		const engine = this.pool.take(this.functions !== null, list);
		try {
			this.begin(engine, 'open', url, source, [], (u, c) => [u, c, source.kind, list ? 1 : 0]);
			const stream = new Stream(this, engine, source.stringOf, list);
			const document = {
				write: (bytes) => stream.call('write', [bytes], (n) => [stream.number, ...n]),
				finish: () => stream.call('finish', [], () => [stream.number], true),
				drop: () => stream.end('the document has been given up'),
			};
			unreachable?.register(document, stream);
			return document;
		} finally {
			this.pool.give(engine);
		}
	}

	stream(url, options) {
		const of = documentOf(options);
		urlOf(url);
		let document = null;
		let half = ''; // of a surrogate pair, at the end of a string
		const send = (controller, bytes) => {
			for (let i = 0; i < bytes.length; i += 1 << 20) enqueue(controller, document.write(bytes.subarray(i, i + (1 << 20))));
		};
		return new TransformStream({
			transform: (chunk, controller) => {
				let bytes = bytesOf(chunk);
				if (typeof chunk !== 'string' && !bytes) throw new TypeError('a piece of the document is not a string or bytes');
				if ((bytes ?? chunk).length === 0) return;
				if (!document) this.warnOfFeed(bytes ?? encoder.encode(chunk.slice(0, 1024)));
				document ??= this.opened(url, sourceOf(bytes ?? '', of), false);
				const before = half;
				half = bytes || !/[\ud800-\udbff]$/.test(chunk) ? '' : chunk.at(-1);
				bytes ??= encoder.encode(before + (half ? chunk.slice(0, -1) : chunk));
				if (before && typeof chunk !== 'string') send(controller, encoder.encode(before));
				send(controller, bytes);
			},
			flush: (controller) => {
				document ??= this.opened(url, sourceOf(new Uint8Array(), of), false);
				send(controller, encoder.encode(half));
				enqueue(controller, document.finish());
			},
			cancel: () => document?.drop(),
		});
	}

	* places(data, url, options) {
		const source = sourceOf(data, documentOf(options));
		this.warnOfFeed(source.bytes);
		const document = this.opened(url, source, true);
		try {
			for (let i = 0; i < source.bytes.length; i += piece) yield* placesIn(document.write(source.bytes.subarray(i, i + piece)), source.stringOf);
			yield* placesIn(document.finish(), source.stringOf);
		} finally {
			document.drop();
		}
	}

	// free gives up the streams and lists that are not at their ends.
	free() {
		if (this.running > 0) throw new TypeError('visit, warn and unresolvable cannot free the Rewriter that calls them');
		for (const stream of this.open) stream.end('the Rewriter of this document has been freed');
	}
}
// split takes the options of a document out of others.
const split = ({ charset, sheet } = {}) => ({ charset, sheet });

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

		rewriteStream(url, options) { return this.#runner.stream(url, options); }

		places(document, url, options) { return this.#runner.places(document, url, options); }

		free() { this.#runner.free(); }

		[Symbol.dispose ?? Symbol.for('dispose')]() { this.free(); }
	}

	return {
		Rewriter,
		rewrite: (document, url, options) => runner(options).rewrite(document, url, split(options)),
		// A feed that is a string has no queries of another encoding.
		rewriteFeed: (document, url, options) => runner(options).rewrite(document, url, typeof document === 'string' ? {} : split(options), 'rewriteFeed'),
		rewriteStream: (url, options) => runner(options).stream(url, split(options)),
		places: (document, url, options) => runner(options).places(document, url, split(options)),
		resolve: (ref, base, profile = 'whatwg') => {
			for (const [name, value] of Object.entries({ ref, profile })) if (typeof value !== 'string') throw new TypeError(`${name} is not a string`);
			return pool.use((engine) => {
				engine.call('resolve', [profile, urlOf(base), ref], (lengths) => lengths);
				return decode(engine.result());
			});
		},
	};
}
