// Tests of the packed tarball: bindings/check runs them. ABSOLINK names the command
// that the results are compared with; TARBALL the package. CHROMIUM names a browser.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { brotliCompressSync, constants } from 'node:zlib';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc');

const here = import.meta.dirname ?? new URL('.', import.meta.url).pathname;
const { ABSOLINK, TARBALL, CHROMIUM } = process.env;
const engines = (name) => join(here, 'node_modules', name);
const pages = join(here, '../../../testdata/pages');
const url = 'https://example.org/a/b?c';
let dir;

before(() => {
	assert(TARBALL && ABSOLINK, 'TARBALL and ABSOLINK name the package and the command');
	dir = mkdtempSync(join(tmpdir(), 'absolink-js-'));
	writeFileSync(join(dir, 'package.json'), '{"private": true, "type": "module"}');
	execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', TARBALL], { cwd: dir });
	cpSync(join(here, 'suite.mjs'), join(dir, 'suite.mjs'));
	writeFileSync(join(dir, 'every.mjs'), `import * as standard from 'absolink';
import { rewriteFeed } from 'absolink/feeds';
import { init } from 'absolink/init';
import * as inline from 'absolink/inline';
import { suite } from './suite.mjs';
export async function every(module) {
	let n = await suite(standard);
	for (const { rewrite, rewriteStream, places, resolve, Rewriter } of [inline, init(module)]) { // the same functions over another module
		const got = [rewrite('<a href=x>', 'http://h/'), new Rewriter().rewrite('<a href=x>', 'http://h/'), [...places('<a href=x>', 'http://h/')][0].url, resolve('x', 'http://h/')];
		got.push(await new Response(new Response('<a href=x>').body.pipeThrough(rewriteStream('http://h/'))).text());
		if (got.join() !== '<a href=http://h/x>,<a href=http://h/x>,http://h/x,http://h/x,<a href=http://h/x>') throw new Error(got.join());
		n++;
	}
	const feed = '<rss><channel><item><description>&lt;a href=x></description></item></channel></rss>';
	for (const entry of [standard, inline, init(module)]) {
		const got = entry.rewriteFeed(feed, 'http://h/', { charset: 'latin1' });
		if (!got.includes('&lt;a href=http://h/x>')) throw new Error(got);
		const hugo = feed.replace('<item>', '<item><link>/l/</link>');
		const bases = [undefined, 'link', 'feed'].map((itemBase) => entry.rewriteFeed(hugo, 'http://h/', { itemBase }).match(/lt;a href=([^>]*)>/)[1]);
		if (bases.join() !== 'http://h/l/x,http://h/l/x,http://h/x') throw new Error(bases);
		n++;
	}
	for (const declared of ['utf-8', 'iso-8859-1', 'shift_jis', 'utf-16', 'iso-2022-jp']) { // a string is decoded
		const decoded = \`<?xml version="1.0" encoding="\${declared}"?><rss><channel><title>é</title><link>/é?é</link><item><description>&lt;a href="?é"></description></item></channel></rss>\`;
		const want = decoded.replace('/é?é', 'http://h/%C3%A9?%C3%A9').replace('"?é"', '"http://h/%C3%A9?%C3%A9"');
		for (const rewritten of [rewriteFeed(decoded, 'http://h/'), rewriteFeed(decoded, 'http://h/', { charset: 'utf-8' })]) if (rewritten !== want) throw new Error(rewritten);
		const latin = rewriteFeed(decoded, 'http://h/', { charset: 'windows-1252' });
		if (latin !== want.replace('"http://h/%C3%A9?%C3%A9"', '"http://h/%C3%A9?%E9"')) throw new Error(latin);
		n++;
	}
	const fails = (f, part) => {
		n++;
		try {
			f();
		} catch (error) {
			if (error instanceof TypeError && error.message.includes(part)) return;
			throw error;
		}
		throw new Error('no error with ' + part);
	};
	for (const feed of ['\\ufeff<rss><channel><link>http://[</link><item><description>&lt;a href=x></description></item></channel></rss>', '<rss>']) {
		const warnings = [];
		rewriteFeed(feed, 'http://h/', { warn: (w) => warnings.push(w) });
		if (warnings.length !== 1) throw new Error(JSON.stringify(warnings));
		n++;
	}
	for (const wrong of [undefined, null, 'absolink.wasm', Promise.resolve(), new URL('file:///absolink.wasm')]) fails(() => init(wrong), 'as a WebAssembly.Module, or its bytes');
	fails(() => rewriteFeed(feed, 'http://h/', { sheet: true }), 'leave sheet out');
	fails(() => rewriteFeed(feed, 'http://h/', { charset: 1 }), 'charset is not a string');
	return n;
}
`);
	writeFileSync(join(dir, 'run.mjs'), `import { readFileSync } from 'node:fs';
import { every } from './every.mjs';
import { init } from 'absolink/init';
const bytes = readFileSync(new URL(import.meta.resolve('absolink/absolink.wasm')));
const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
shared.set(bytes);
if (init(shared.buffer).resolve('x', 'http://h/') !== 'http://h/x') throw new Error('shared bytes');
const empty = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]); // a module
try {
	init(empty);
	throw new Error('init takes another module');
} catch (error) {
	if (!error.message.includes('this is another module')) throw error;
}
console.log('checks', await every(bytes));
`);
});

after(() => dir && rmSync(dir, { recursive: true, force: true }));

const run = (program, args, options) => execFileSync(program, args, { cwd: dir, encoding: 'utf8', ...options });
const passes = (output) => assert.match(output, /^checks \d{2,}$/m);
const absolink = () => import(join(dir, 'node_modules/absolink/node.js'));

test('Node', () => passes(run('node', ['run.mjs'])));

// As in Node before 20.19, and in Jest, which cannot require a module.
test('require', () => {
	writeFileSync(join(dir, 'run.cjs'), `const absolink = require('absolink');
if (require('absolink/feeds') !== absolink) throw new Error('absolink/feeds is another instance');
import('./suite.mjs').then(({ suite }) => suite(absolink)).then((n) => console.log('checks', n));
`);
	passes(run('node', ['--no-experimental-require-module', 'run.cjs']));
});

test('Deno', () => passes(run(join(engines('@deno/linux-x64-glibc'), 'deno'), ['run', '--no-config', '--node-modules-dir=manual', '--allow-read', '--allow-env', 'run.mjs'], { env: { ...process.env, DENO_DIR: join(dir, 'deno'), DENO_NO_UPDATE_CHECK: '1' } })));

test('Bun', () => passes(run(join(engines('@oven/bun-linux-x64'), 'bin/bun'), ['run.mjs'])));

// targets returns the file of each entry point for an engine.
function targets(condition) {
	const { exports } = JSON.parse(readFileSync(join(dir, 'node_modules/absolink/package.json')));
	return Object.fromEntries(Object.entries(exports).filter(([, target]) => target.default?.endsWith('.js')).map(([entry, target]) => [join('absolink', entry), join('/node_modules/absolink', target[condition] ?? target.default)]));
}

// serve serves files, and returns the URL.
async function serve(files, t) {
	const types = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm', '.html': 'text/html' };
	const server = createServer((request, response) => {
		try {
			const body = files[request.url] ?? readFileSync(join(dir, request.url));
			response.writeHead(200, { 'Content-Type': types[extname(request.url)] ?? 'text/html' }).end(body);
		} catch {
			response.writeHead(404).end();
		}
	});
	await new Promise((done) => server.listen(0, '127.0.0.1', done));
	t.after(() => server.close());
	return `http://127.0.0.1:${server.address().port}`;
}

test('Chromium', { skip: !CHROMIUM && 'CHROMIUM is not set' }, async (t) => {
	const { chromium } = await import('playwright-core');
	const origin = await serve({ '/': `<!DOCTYPE html><script type=importmap>${JSON.stringify({ imports: targets('default') })}</script>
<script type=module>
import { every } from './every.mjs';
const module = await WebAssembly.compileStreaming(fetch('/node_modules/absolink/absolink.wasm'));
every(module).then((n) => { document.title = 'checks ' + n }, (error) => { document.title = String(error) });
</script>` }, t);
	const browser = await chromium.launch({ executablePath: run('sh', ['-c', `command -v ${CHROMIUM}`]).trim(), args: ['--no-sandbox'], timeout: 0 });
	t.after(() => browser.close());
	const page = await browser.newPage();
	page.on('pageerror', (error) => assert.fail(error));
	await page.goto(origin, { timeout: 0 });
	await page.waitForFunction(() => document.title !== '', null, { timeout: 0 });
	passes(await page.title());
});

test('workerd', async (t) => {
	writeFileSync(join(dir, 'worker.mjs'), `import { every } from './every.mjs';
import module from './absolink.wasm';
export default { fetch: async () => new Response(await every(module).then((n) => 'checks ' + n, (error) => error.stack)) };
`);
	const files = { ...targets('workerd'), 'worker.mjs': '/worker.mjs', 'every.mjs': '/every.mjs', 'suite.mjs': '/suite.mjs' };
	for (const name of readdirSync(join(dir, 'node_modules/absolink')).filter((name) => /\.(js|wasm)$/.test(name))) files[name] = files[`absolink/${name}`] = `/node_modules/absolink/${name}`;
	const modules = Object.entries(files).sort(([a], [b]) => (b === 'worker.mjs') - (a === 'worker.mjs')).map(([name, path]) => `(name = "${name}", ${/\.wasm$/.test(path) ? 'wasm' : 'esModule'} = embed "${path.slice(1)}"),`);
	writeFileSync(join(dir, 'config.capnp'), `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [
      ${modules.join('\n      ')}
    ],
    compatibilityDate = "2026-01-01",
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`);
	const child = spawn(join(engines('@cloudflare/workerd-linux-64'), 'bin/workerd'), ['serve', 'config.capnp', '--control-fd=3'], { cwd: dir, stdio: ['ignore', 'inherit', 'inherit', 'pipe'] });
	t.after(() => child.kill());
	const port = await new Promise((found, failed) => {
		let said = '';
		child.stdio[3].on('data', (data) => {
			said += data;
			const listening = /"port":(\d+)/.exec(said);
			if (listening) found(listening[1]);
		});
		child.on('exit', () => failed(new Error('workerd has ended')));
	});
	passes(await (await fetch(`http://127.0.0.1:${port}/`)).text());
});

test('the same bytes as the command, whole and streamed', async () => {
	const { Rewriter } = await absolink();
	const rewriter = new Rewriter();
	let n = 0;
	for (const name of readdirSync(pages).filter((name) => name.endsWith('.html'))) {
		const source = readFileSync(join(pages, name));
		const { stdout } = spawnSync(ABSOLINK, ['-q', '--type', 'html', '--profile', 'whatwg', '--url', url], { input: source, maxBuffer: 1 << 28 });
		assert(stdout.equals(rewriter.rewrite(source, url)), name);
		for (const size of [1, 7, 65536]) {
			const pieces = new ReadableStream({
				start(controller) {
					for (let i = 0; i < source.length; i += size) controller.enqueue(source.subarray(i, i + size));
					controller.close();
				},
			});
			const got = Buffer.from(await new Response(pieces.pipeThrough(rewriter.rewriteStream(url))).arrayBuffer());
			assert(stdout.equals(got), `${name} in pieces of ${size}`);
		}
		n++;
	}
	assert(n > 5);
});

test('a Buffer becomes a Buffer', async () => {
	const { rewrite, rewriteFeed, Rewriter } = await absolink();
	const page = Buffer.from('<a href=x>');
	for (const got of [rewrite(page, url), rewriteFeed(page, url), new Rewriter().rewrite(page, url)]) assert(Buffer.isBuffer(got));
	assert(rewrite(page, url).equals(Buffer.from('<a href=https://example.org/a/x>')));
	assert(!Buffer.isBuffer(rewrite(new Uint8Array(page), url)));
});

test('the places that the command lists', async () => {
	const { places } = await absolink();
	for (const name of readdirSync(pages).filter((name) => name.endsWith('.html'))) {
		const source = readFileSync(join(pages, name));
		const { stdout } = spawnSync(ABSOLINK, ['list', '-q', '--type', 'html', '--profile', 'whatwg', '--url', url], { input: source, encoding: 'utf8', maxBuffer: 1 << 28 });
		const want = stdout.split('\n').filter(Boolean).map((line) => JSON.parse(line)).map(({ file, ...place }) => place);
		assert.deepEqual([...places(source, url)].map((p) => ({ ...p })), want, name);
	}
});

test('hostile documents keep the bounds, and the process goes on', async () => {
	const { rewrite, Rewriter } = await absolink();
	const million = 1 << 20;
	const base = process.memoryUsage().rss;
	for (const [name, document] of Object.entries({
		'a host of U+FDFA': `<a href="//${'\ufdfa'.repeat(340000)}">`,
		'open tags': '<'.repeat(million),
		'one tag': `<a ${'x=y '.repeat(million / 4)}>`,
		'many places': '<a href=x>'.repeat(million / 10),
		'nested documents': `<iframe srcdoc="${'<iframe srcdoc=&quot;'.repeat(40000)}`,
		'held back': `<a href=x>${'<!--x-->'.repeat(million / 8)}`,
		'a long base': `<base href=http://h/${'x'.repeat(8000)}/>${'<a href=x>'.repeat(2000)}`,
		srcset: `<img srcset="${'a 1x,'.repeat(million / 5)}">`,
		style: `<style>${'a{b:url(x)}'.repeat(million / 11)}</style>`,
	})) {
		const rewritten = rewrite(document, 'http://h/d/');
		assert(rewritten.length >= document.length * 0.9, name);
	}
	gc();
	const grown = process.memoryUsage().rss - base;
	assert(grown < 600 << 20, `${grown >> 20} MiB more`);
	assert.equal(new Rewriter().rewrite('<a href=x>', 'http://h/'), '<a href=http://h/x>');
});

test('a panic ends one instance', async () => {
	const { Pool } = await import(join(dir, 'node_modules/absolink/engine.js'));
	const pool = new Pool(() => new WebAssembly.Module(readFileSync(join(dir, 'node_modules/absolink/absolink.wasm'))));
	const panic = () => pool.use((engine) => engine.call('write', ['x'], (n) => [12345, ...n]));
	const resolve = () => pool.use((engine) => {
		engine.call('resolve', ['whatwg', 'http://h/', 'x'], (n) => n);
		return Buffer.from(engine.result()).toString();
	});
	assert.throws(panic, /absolink has stopped working on this document: .*nil pointer/);
	assert.equal(resolve(), 'http://h/x');
	assert.throws(panic, /nil pointer/);
	assert.equal(resolve(), 'http://h/x');
	assert.equal(pool.engines.length, 1);
});

test('large memory is given back', async () => {
	const { rewrite, rewriteStream } = await absolink();
	const document = Buffer.from(`<a href=x>${'text '.repeat(6 << 20)}`);
	const used = async () => {
		for (let i = 0; i < 4; i++) { // what nobody can reach is gone after some turns
			gc();
			await new Promise((done) => setTimeout(done, 10));
		}
		const { heapUsed, external } = process.memoryUsage();
		return (heapUsed + external) / (1 << 20);
	};
	const before = await used();
	const open = [];
	for (let i = 0; i < 8; i++) { // each with a stream that stays
		const { readable, writable } = rewriteStream('http://h/');
		open.push(readable, writable.getWriter());
		readable.getReader().read();
		await open.at(-1).write('<p>a<a href=x>');
		rewrite(document, 'http://h/');
	}
	const grown = await used() - before;
	assert(grown < 60, `${grown} MiB more, with ${open.length / 2} streams`);
});

// The numbers are what a process of its own has.
test('Rewriters share an instance, and streams that end in any way leave nothing', () => {
	writeFileSync(join(dir, 'memory.mjs'), `import { places, Rewriter, rewriteStream } from 'absolink';
const count = (n, f) => Array.from({ length: n }, (_, i) => f(i));
const mib = async () => {
	for (let i = 0; i < 4; i++) { // what nobody can reach is gone after some turns
		gc();
		await new Promise((done) => setTimeout(done, 10));
	}
	const { heapUsed, arrayBuffers, external, rss } = process.memoryUsage();
	return { used: (heapUsed + external) / (1 << 20), rss: rss / (1 << 20) };
};
let instances = 0;
WebAssembly.Instance = class extends WebAssembly.Instance {
	constructor(...args) {
		super(...args);
		instances++;
	}
};
const url = 'http://h/';
const times = Number(process.argv[2]); // of each kind
new Rewriter().rewrite('<a href=x>', url);
const before = await mib();
const live = count(50, (i) => new Rewriter({ rules: ['html', \`x-\${i}[y]=url\`] }));
for (const rewriter of live) rewriter.rewrite('<a href=x>', url);
const fifty = await mib();
for (let i = 0; i < times; i++) {
	const rewriter = new Rewriter({ visit: () => \`http://v/\${i}\`, hold: 1000 + i });
	rewriter.rewrite('<a href=x>', url);
	rewriter.free();
}
const many = await mib();
const held = '<a href=x>'.repeat(5000); // until a BASE cannot follow
const streams = [
	async ({ writable, readable }, i) => { // aborted
		const ends = readable.pipeTo(new WritableStream());
		const writer = writable.getWriter();
		await writer.write(held);
		await Promise.allSettled([writer.abort(new Error('no more')), ends]);
	},
	async ({ writable, readable }) => { // cancelled
		const writer = writable.getWriter();
		const write = writer.write(held);
		await Promise.allSettled([readable.cancel(), write, writer.closed]);
	},
	async ({ writable, readable }) => { // forgotten, although a function of its options leads to it
		const reader = readable.getReader();
		const read = reader.read();
		await writable.getWriter().write(held);
	},
];
for (const [i, end] of streams.entries()) {
	for (let n = 0; n < times; n++) {
		const stream = rewriteStream(url, { wholeDocument: true, visit() { stream.readable; } });
		await end(stream);
		if (i === 2 && n % 100 === 0) await mib();
	}
}
for (let i = 0; i < times; i++) {
	const list = places(held, url, { wholeDocument: true, unresolvable() { list.throw(); } });
	list.next();
	if (i % 100 === 0) await mib();
}
const after = await mib();
console.log(JSON.stringify({ before, fifty, many, after, instances }));
`);
	const said = run('node', ['--expose-gc', 'memory.mjs', '100']);
	const { before, fifty, many, after, instances } = JSON.parse(said);
	assert(instances <= 8, said);
	assert(fifty.used - before.used < 20, said);
	assert(fifty.rss - before.rss < 40, said);
	assert(many.used - before.used < 25, said);
	assert(after.used - before.used < 70, said); // an instance may have 48 MiB
});

test('npx absolink', () => {
	const npx = (args, options) => spawnSync(join(dir, 'node_modules/.bin/absolink'), args, { cwd: dir, encoding: 'utf8', ...options });
	assert.equal(npx(['--url', 'http://h/d/'], { input: '<a href=x>' }).stdout, '<a href=http://h/d/x>');
	writeFileSync(join(dir, 'p.html'), '<a href=http://h/d/x>');
	writeFileSync(join(dir, 'long.html'), `<style>a{b:url(x)}${' '.repeat(1 << 20)}</style>`.repeat(12));
	const limited = npx(['--url', 'http://h/d/', 'long.html', 'p.html'], { maxBuffer: 1 << 26 });
	assert.match(limited.stderr, /^absolink: long.html: byte 7: the tag or text is longer than may be held; it stays as it is\n/);
	assert.match(limited.stderr, /\nabsolink: long.html: 2 more warnings\n$/);
	const missing = npx(['--url', 'http://h/', 'gone.html', 'p.html']);
	assert.equal(missing.status, 1);
	assert.match(missing.stderr, /gone\.html/);
	assert.equal(missing.stdout, '<a href=http://h/d/x>');
	assert.equal(npx(['--url', 'nonsense'], { input: '' }).status, 2);
	assert.equal(npx(['--nope'], { input: '' }).status, 2);
	const inPlace = npx(['-w', '--url', 'http://h/d/', 'p.html']);
	assert.deepEqual([inPlace.status, inPlace.stdout], [2, '']);
	assert.match(inPlace.stderr, /^absolink: the npm package has no -w; the command absolink has it \(pip install absolink-cli\) .*\n$/);
	assert.equal(readFileSync(join(dir, 'p.html'), 'utf8'), '<a href=http://h/d/x>');
});

test('a site of Eleventy', () => {
	const site = join(dir, 'site');
	mkdirSync(join(site, 'src/blog'), { recursive: true });
	writeFileSync(join(site, 'src/blog/one.html'), '<a href="../">up</a><img srcset="a.png 2x"><a href="#top">t</a><style>p{background:url(b.png)}</style>');
	writeFileSync(join(site, 'src/feed.njk'), '---\npermalink: feed.xml\n---\n<?xml version="1.0"?><rss version="2.0"><channel><item><link>blog/one/</link><description>&lt;a href="x"&gt;</description></item></channel></rss>');
	writeFileSync(join(site, 'src/data.njk'), '---\npermalink: data.txt\n---\n<a href=x>');
	writeFileSync(join(site, 'eleventy.config.js'), `import absolink from 'absolink/eleventy';
export default (config) => {
	config.addPlugin(absolink, { url: 'https://example.org/docs/' });
	return { dir: { input: 'src', output: 'out' } };
};
`);
	writeFileSync(join(site, 'package.json'), '{"type": "module"}');
	execFileSync('node', [join(engines('@11ty/eleventy'), 'cmd.cjs'), '--quiet'], { cwd: site });
	const read = (name) => readFileSync(join(site, 'out', name), 'utf8');
	assert.equal(read('blog/one/index.html'), '<a href="https://example.org/docs/blog/">up</a><img srcset="https://example.org/docs/blog/one/a.png 2x"><a href="#top">t</a><style>p{background:url(https://example.org/docs/blog/one/b.png)}</style>');
	assert.match(read('feed.xml'), /<link>https:\/\/example\.org\/docs\/blog\/one\/<\/link><description>&lt;a href="https:\/\/example\.org\/docs\/blog\/one\/x"&gt;/);
	assert.equal(read('data.txt'), '<a href=x>');
});

test('the types', () => {
	writeFileSync(join(dir, 'use.mts'), `import { places, resolve, rewrite, Rewriter, rewriteStream, type Place } from 'absolink';
import absolink from 'absolink/eleventy';
const s: string = rewrite('x', 'http://h/', { profile: 'rfc1808', visit: (p) => p.url });
const b: Uint8Array = rewrite(new Uint8Array(), new URL('http://h/'));
const all: Place[] = [...places('x')];
new ReadableStream<Uint8Array>().pipeThrough(rewriteStream('http://h/'));
new Rewriter({ keepFragments: true }).rewrite(s);
resolve('x', 'http://h/');
absolink({}, { url: 'http://h/' });
// @ts-expect-error
rewrite(1);
`);
	run('node', [join(engines('typescript'), 'bin/tsc'), '--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022,dom,dom.iterable', 'use.mts'], { stdio: 'pipe' });
});

test('the size', () => {
	const wasm = readFileSync(join(dir, 'node_modules/absolink/absolink.wasm'));
	const { length } = brotliCompressSync(wasm, { params: { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: wasm.length } });
	assert(length <= 1_600_000, `${length} bytes with Brotli`);
});
