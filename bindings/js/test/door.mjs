// Sends documents through the doors of the package in the directory that it is given, for
// TestBindings of internal/test/doors: a request in a line of standard input, then questions
// in lines of standard output, each with a line that answers it.
import { readSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const load = (name) => import(join(process.argv[2], name));
const [npm, { default: eleventy }] = await Promise.all(['node.js', 'eleventy.js'].map(load));

let rest = Buffer.alloc(0);

function line() {
	const parts = [];
	let end;
	while ((end = rest.indexOf('\n')) < 0) {
		parts.push(rest);
		const piece = Buffer.alloc(1 << 16);
		const n = readSync(0, piece);
		if (n === 0) process.exit(0);
		rest = piece.subarray(0, n);
	}
	parts.push(rest.subarray(0, end));
	rest = rest.subarray(end + 1);
	return JSON.parse(Buffer.concat(parts).toString());
}

function say(message) {
	for (let b = Buffer.from(`${JSON.stringify(message)}\n`); b.length > 0;) b = b.subarray(writeSync(1, b));
}

function ask(question) {
	say(question);
	const answer = line();
	if (answer.panics) throw undefined;
	return answer;
}

// told returns an answer that is not an error.
function told(answer) {
	if (answer.throws) throw new Error(answer.throws);
	return answer;
}

const functions = {
	visit: (place) => told(ask({ ask: 'visit', place })).url,
	unresolvable: (place) => { told(ask({ ask: 'unresolvable', place })); },
	done: (result) => { told(ask({ ask: 'result', result })); },
	warn: (warning) => { told(ask({ ask: 'warn', warning })); },
};
const write = (data) => { told(ask({ ask: 'write', data: Buffer.from(data).toString('base64') })); };

function used() {
	gc();
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
}

const often = 1 << 20;

// reader returns what asks for the next piece of the document. After each MiB it says how
// much more memory is in use than at the least. An error may come with bytes.
function reader() {
	let n = 0;
	let least = Infinity;
	return () => {
		const question = { ask: 'read' };
		if (n >= often) {
			n = 0;
			const now = used();
			least = Math.min(least, now);
			question.used = now - least;
		}
		const { data = '', ...answer } = ask(question);
		const bytes = Buffer.from(data, 'base64');
		n += bytes.length;
		return { ...answer, bytes };
	};
}

// piped sends a document through a stream, as a response goes.
async function piped(stream, signal) {
	const read = reader();
	const source = new ReadableStream({
		pull(controller) {
			const answer = read();
			controller.enqueue(answer.bytes);
			if (told(answer).end) controller.close();
		},
	});
	await source.pipeThrough(stream, { signal }).pipeTo(new WritableStream({ write }));
}

// written writes strings to a stream, and goes on after an error. It throws the first.
async function written({ readable, writable }, signal) {
	let first = null;
	const failed = (error) => { first ??= { error }; };
	const sent = readable.pipeTo(new WritableStream({ write })).catch(failed);
	const writer = writable.getWriter();
	if (signal.aborted) await writer.abort(signal.reason);
	const read = reader();
	const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
	for (let answer = {}; !answer.end && !answer.throws;) {
		answer = read();
		await writer.write(decoder.decode(answer.bytes, { stream: true })).catch(failed);
		if (answer.end) await writer.close().catch(failed);
		if (answer.throws) {
			failed(new Error(answer.throws));
			await writer.abort(first.error);
		}
	}
	await sent;
	if (first) throw first.error;
}

// site has the plugin for Eleventy rewrite a page. Eleventy names its path as that of a file.
function site(document, url, options) {
	const { origin, pathname } = new URL(url);
	let transform;
	eleventy({ on() {}, addTransform: (name, f) => { transform = f; } }, { keepFragments: false, ...options, url: origin });
	return transform.call({ page: { url: decodeURIComponent(pathname), outputPath: 'p.html' } }, document);
}

const rewriters = new Map(); // by their options: each has many documents

function rewriterOf(options, key) {
	if (!rewriters.has(key)) rewriters.set(key, new npm.Rewriter(options));
	return rewriters.get(key);
}

// doorOf returns the function that a door is, with its options as the last argument.
function doorOf({ door, options, functions: names }) {
	const [name, owner] = door.split('.').reverse();
	const all = { ...options, ...Object.fromEntries(names.map((n) => [n, functions[n]])) };
	switch (owner) {
		case 'Rewriter': return (...args) => rewriterOf(all, JSON.stringify([options, names]))[name](...args);
		case 'eleventy': return (...args) => site(...args, all);
		default: return (...args) => npm[name](...args, all);
	}
}

async function pass(request) {
	const f = doorOf(request);
	const bytes = Buffer.from(request.document ?? '', 'base64');
	const document = request.mode === 'text' ? bytes.toString() : bytes;
	if (/rewriteStream$/.test(request.door)) {
		const signal = request.ended ? AbortSignal.abort() : new AbortController().signal;
		await (request.mode === 'text' ? written : piped)(f(request.url), signal);
	} else if (/places$/.test(request.door)) {
		for (const place of f(document, request.url)) told(ask({ ask: 'list', place }));
	} else {
		write(await f(document, request.url));
	}
}

for (;;) {
	let error = null;
	await pass(line()).catch((thrown) => { error = thrown?.message ?? String(thrown); });
	say({ ask: 'done', error });
}
