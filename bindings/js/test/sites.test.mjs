// Sites that are built with the packed tarball, and served: bindings/check runs them. TARBALL
// names the package. CHROMIUM names a browser.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, extname, join, relative } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';

const here = import.meta.dirname ?? new URL('.', import.meta.url).pathname;
const { TARBALL, CHROMIUM } = process.env;
const withChromium = { skip: !CHROMIUM && 'CHROMIUM is not set' };
let dir;
let browser;

before(async () => {
	assert(TARBALL, 'TARBALL names the package');
	dir = mkdtempSync(join(tmpdir(), 'absolink-sites-'));
	write(dir, { 'package.json': '{"private": true, "type": "module"}' });
	execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', TARBALL], { cwd: dir });
	if (!CHROMIUM) return;
	const { chromium } = await import('playwright-core');
	const executablePath = execFileSync('sh', ['-c', `command -v ${CHROMIUM}`], { encoding: 'utf8' }).trim();
	browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
});

after(async () => {
	await browser?.close();
	if (dir) rmSync(dir, { recursive: true, force: true });
});

// write writes files into a directory.
function write(at, files) {
	for (const [name, text] of Object.entries(files)) {
		mkdirSync(dirname(join(at, name)), { recursive: true });
		writeFileSync(join(at, name), text);
	}
}

// site makes the directory of a site, whose builder is in modules. The package is in the
// directory above.
function site(name, modules, files) {
	assert(existsSync(modules), `npm ci has not run in ${dirname(modules)}`);
	const at = join(dir, name);
	write(at, { 'package.json': '{"private": true, "type": "module"}', ...files });
	symlinkSync(modules, join(at, 'node_modules'));
	return at;
}

const types = { '.css': 'text/css', '.htm': 'text/html; charset=utf-8', '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.svg': 'image/svg+xml' };

// serve serves a directory as web servers do: a path is decoded once, and that of a directory
// ends in a slash. It returns the origin.
async function serve(root, t) {
	const server = createServer((request, response) => {
		const { pathname } = new URL(`http://h${request.url}`);
		try {
			let file = join(root, decodeURIComponent(pathname));
			if (statSync(file).isDirectory()) {
				if (!pathname.endsWith('/')) {
					response.writeHead(301, { Location: `${pathname}/` }).end();
					return;
				}
				file = join(file, 'index.html');
			}
			const body = readFileSync(file);
			response.writeHead(200, { 'Content-Type': types[extname(file).toLowerCase()] ?? 'application/octet-stream' }).end(body);
		} catch {
			response.writeHead(404).end();
		}
	});
	await new Promise((done) => server.listen(0, '127.0.0.1', done));
	t.after(() => server.close());
	return `http://127.0.0.1:${server.address().port}`;
}

const titleOf = (html) => /<title>(.*?)<\/title>/.exec(html)?.[1];
const linksOf = (html) => [...html.matchAll(/ (?:href|src)="(.*?)"/g)].map(([, url]) => url.replaceAll('&#39;', "'").replaceAll('&amp;', '&'));

async function titleAt(url) {
	const response = await fetch(url);
	const html = await response.text();
	return response.ok ? titleOf(html) : `status ${response.status}`;
}

// pagesIn returns the pages in a directory, by their titles.
function pagesIn(root) {
	const pages = new Map();
	for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
		if (!entry.isFile() || !/\.html?$/i.test(entry.name)) continue;
		const file = join(entry.parentPath ?? entry.path, entry.name);
		const html = readFileSync(file, 'utf8');
		const title = titleOf(html);
		assert(!pages.has(title), `two pages with the title ${title}`);
		pages.set(title, { file: relative(root, file), html, links: linksOf(html) });
	}
	return pages;
}

// start starts a server in Node, and returns its origin when it serves the path.
async function start(args, path, cwd, t) {
	const free = createServer();
	await new Promise((done) => free.listen(0, done));
	const { port } = free.address();
	await new Promise((done) => free.close(done));
	const child = spawn('node', [...args, `--port=${port}`], { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
	t.after(() => child.kill());
	const origin = `http://127.0.0.1:${port}`;
	while (child.exitCode === null) {
		const response = await fetch(origin + path).catch(() => null);
		if (response?.ok) return origin;
		await setTimeout(100);
	}
	throw new Error(`${args[0]} has ended`);
}

const eleventy = join(here, 'node_modules/@11ty/eleventy/cmd.cjs');

// Permalinks. What is in them is the name of a directory or a file, whatever it looks like.
const odd = [
	'/note:1/', 'note:2/', '/a:b/c:d/e:f.html', '/C:/x/', '/javascript:alert(1)/', '/data:text/html,x/', '/mailto:x@y/',
	'/http://evil-1.example/', 'http://evil-2.example/x/', 'https://evil-3.example/y.html', '//evil-4.example/', '///evil-5.example/z/',
	'/\\evil-6.example/', '\\\\evil-7.example\\x/', '/\\/evil-8.example/', '/\t/evil-9.example/', '/%2F%2Fevil-10.example/', '/%5C%5Cevil-11.example/', '/@evil-12.example/', ':80@evil-13.example/',
	'/what?/', '/what?q=1&r=2/', '/?/', '/c#/', '/c#sharp/page.html', '/deep/odd?name#.html', '/?#/#?.html',
	'/100%/', '/%2e%2e/', '/%2e/x.html', '/%zz.html', '/caf%C3%A9/', '/null%00/', '/%25/',
	'/café/', '/cafe\u0301/', '/日本語/ページ.html', '/😀/', '/lone\ud800/', '/\u202ertl/', '/\ufeffmark/',
	'/with space/', '/ before/', '/after /', '/new\nline/', '/tab\there/', '/plus+plus/', '/semi;colon/', '/semi;colon=1/p;q.html',
	'/quotes\'"`/', '/<b>&amp;/', '/{curly}|pipe^/', '/[bracket]/', '/a,b=c&d$e@f!(g)*~/', '/@user/', '/*/',
	'/a/../b/', '/a/./c/', '/a//d/', '../up/', '/../in/', '/.hidden/', '/.../', '/..a/', '/about.html', '/old.htm', '/UPPER.HTML', '/index.html',
];

// Each page links to itself and to a page beside it, which links back.
const pages = odd.flatMap((path, i) => {
	const at = path.lastIndexOf('/') + 1;
	return [
		{ path, body: `<title>odd ${i}</title><a href="">self</a> <a href="beside-${i}.html">beside</a> <a href="?q#f">query</a> <img src="p.png"> <a href="#top">top</a>` },
		{ path: `${path.slice(0, at)}beside-${i}.html`, body: `<title>beside ${i}</title><a href="./${encodeURIComponent(path.slice(at))}">back</a>` },
	];
});

test('odd permalinks of Eleventy', async (t) => {
	const at = site('odd', join(here, 'node_modules'), {
		'src/pages.11ty.js': `export const data = { all: ${JSON.stringify(pages)}, pagination: { data: 'all', size: 1, alias: 'it' }, permalink: ({ it }) => it.path };
export const render = ({ it }) => it.body;
`,
	});
	const origin = await serve(join(at, 'out'), t);
	write(at, { 'eleventy.config.js': `import absolink from 'absolink/eleventy';
export default (config) => {
	config.addPlugin(absolink, { url: '${origin}/docs/' });
	return { dir: { input: 'src', output: 'out/docs' }, pathPrefix: '/docs/' };
};
` });
	execFileSync('node', [eleventy, '--quiet'], { cwd: at });
	const built = pagesIn(join(at, 'out'));
	assert.equal(built.size, pages.length);

	await t.test('each link is where the site serves it', async () => {
		for (const i of odd.keys()) {
			const name = `odd ${i}: ${JSON.stringify(odd[i])}`;
			const { file, links: [self, beside, query, picture, top] } = built.get(`odd ${i}`);
			assert.equal(top, '#top', name);
			assert(self.startsWith(`${origin}/`) && !/[?#]/.test(self), `${name} has the URL ${self}`);
			assert.equal(decodeURIComponent(new URL(self).pathname), `/${file}`.replace(/\/index\.html$/, '/'), name);
			assert.equal(query, `${self}?q#f`, name);
			assert.equal(picture, new URL('p.png', self).href, name);
			assert.equal(await titleAt(self), `odd ${i}`, name);
			assert.equal(await titleAt(beside), `beside ${i}`, name);
			const [back] = built.get(`beside ${i}`).links;
			assert(back.startsWith(`${origin}/`), `${name}: ${back}`);
			assert.equal(await titleAt(back), `odd ${i}`, name);
		}
	});

	// The preview has the pages as they were written, at the same paths.
	const preview = await start([eleventy, '--serve', '--quiet'], '/docs/', at, t);

	await t.test('the server of Eleventy has the same pages there, and the plugin is off', async () => {
		for (const [title, { file, links: [self] }] of built) {
			if (!file.startsWith('docs/') || title.startsWith('beside ')) continue;
			const url = preview + new URL(self).pathname;
			const html = await (await fetch(url)).text();
			assert.equal(titleOf(html), title, url);
			assert.deepEqual(linksOf(html).slice(0, 5), ['', `beside-${title.slice(4)}.html`, '?q#f', 'p.png', '#top'], url);
		}
	});

	await t.test('Chromium finds the pages there, and links that lead to the same URLs', withChromium, async () => {
		const context = await browser.newContext({ javaScriptEnabled: false }); // the preview adds a script
		const page = await context.newPage();
		const seen = () => page.$$eval('a, img', (all) => all.map((e) => e.href ?? e.src));
		for (const [title, { file, links }] of built) {
			if (title.startsWith('beside ')) continue;
			await page.goto(links[0]);
			assert.equal(await page.title(), title, links[0]);
			const rewritten = (await seen()).map((url) => url.replace(origin, preview));
			if (!file.startsWith('docs/')) continue;
			await page.goto(links[0].replace(origin, preview));
			const plain = await seen();
			assert.deepEqual(rewritten, plain, title);
		}
		await context.close();
	});
});

test('Eleventy with its own plugins, a pathPrefix and a feed', async (t) => {
	const at = site('usual', join(here, 'node_modules'), {
		'src/posts/posts.11tydata.js': "export default { tags: 'posts', permalink: 'posts/{{ page.fileSlug }}:1/' };\n",
		'src/posts/one.md': '# One\n\n[two](./two.md) [home](/) <a href="x">x</a>\n',
		'src/posts/two.md': '# Two\n',
		'src/list.html': '---\npermalink: "list/{{ pagination.pageNumber }}/"\npagination:\n  data: all\n  size: 1\nall: [1, 2]\n---\n<a href="next/">next</a>',
		'src/hidden.html': '---\npermalink: false\n---\n<a href="next/">next</a>',
		'src/feed.njk': '---\npermalink: feed.xml\n---\n<?xml version="1.0"?><rss version="2.0"><channel><link>./</link>{% for post in collections.posts %}<item><description>{{ post.content | renderTransforms(post.data.page) | escape }}</description></item>{% endfor %}</channel></rss>',
		'src/styled.njk': '---\npermalink: styled.html\n---\n<style>{% getBundle "css" %}</style>{% css %}p { background: url(b.png) }{% endcss %}',
		'src/data.njk': '---\npermalink: data.txt\n---\n<a href="x">',
		'src/bare.njk': '---\npermalink: bare\neleventyAllowMissingExtension: true\n---\n<a href="x">',
		'eleventy.config.js': `import absolink from 'absolink/eleventy';
import { EleventyHtmlBasePlugin, InputPathToUrlTransformPlugin } from '@11ty/eleventy';
export default (config) => {
	config.addPlugin(absolink, { url: new URL('https://example.org/docs'), ...JSON.parse(process.env.OPTIONS ?? '{}') });
	config.addPlugin(EleventyHtmlBasePlugin);
	config.addPlugin(InputPathToUrlTransformPlugin);
	config.addBundle('css');
	return { dir: { input: 'src', output: 'out' }, pathPrefix: 'docs' };
};
`,
	});
	const run = (args, options = {}) => spawnSync('node', [eleventy, ...args], { cwd: at, encoding: 'utf8', env: { ...process.env, OPTIONS: JSON.stringify(options) } });
	assert.equal(run(['--quiet']).status, 0);
	const read = (name) => readFileSync(join(at, 'out', name), 'utf8');
	assert.match(read('posts/one:1/index.html'), /<a href="https:\/\/example\.org\/docs\/posts\/two:1\/">two<\/a> <a href="https:\/\/example\.org\/docs\/">home<\/a> <a href="https:\/\/example\.org\/docs\/posts\/one:1\/x">/);
	for (const n of [0, 1]) assert.match(read(`list/${n}/index.html`), new RegExp(`"https://example\\.org/docs/list/${n}/next/"`));
	assert.match(read('feed.xml'), /<link>https:\/\/example\.org\/docs\/<\/link>.*&lt;a href=(&quot;|")https:\/\/example\.org\/docs\/posts\/one:1\/x/s);
	assert.match(read('styled.html'), /url\(https:\/\/example\.org\/docs\/b\.png\)/);
	for (const name of ['data.txt', 'bare']) assert.equal(read(name), '<a href="x">');

	const failed = run(['--quiet'], { colour: 1 });
	assert.equal(failed.status, 1);
	assert.match(failed.stderr, /absolink\/eleventy: no such option: "colour"/);
});

// recipe returns a block of docs/javascript.md, for a site at an origin.
function recipe(name, origin) {
	const page = readFileSync(join(here, '../../../docs/javascript.md'), 'utf8');
	const blocks = [...page.matchAll(/```js\n([^]*?)```/g)].map(([, code]) => code).filter((code) => code.startsWith(`// ${name}\n`));
	assert.equal(blocks.length, 1, name);
	return blocks[0].replaceAll('https://example.org', origin);
}

// A page of a site whose titles are paths: it links to itself and to others.
const body = `<a href="" class="self">self</a> <a href="?q#f" class="self">query</a> <a href="#top" class="top">top</a> <a href="/docs/about/" class="about">root</a> <img src="/docs/pic.svg" srcset="/docs/pic.svg 1x" alt="">`;
const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>';

// checkSite visits the pages of a built site in Chromium: each is where its links say, and
// what it needs is there.
async function checkSite(out, origin, want) {
	const built = pagesIn(join(out, 'docs'));
	assert.equal(built.size, want);
	const page = await browser.newPage();
	page.on('pageerror', (error) => assert.fail(error));
	page.on('response', (response) => assert(response.ok() || response.status() === 301 || response.status() === 304 || response.url().endsWith('/favicon.ico'), response.url()));
	for (const [title, { file, links }] of built) {
		for (const url of links) assert(url === '#top' || url.startsWith(`${origin}/docs/`), `${file}: ${url}`);
		const [self] = links.filter((url) => url !== '#top' && !/\.(css|js)$/.test(url));
		assert.equal(decodeURIComponent(new URL(self).pathname), `/docs/${file}`.replace(/\/index\.html$/, '/'));
		await page.goto(self);
		await page.waitForFunction(() => document.body.dataset.ran === '1');
		const { at, links: found, pictures, background } = await page.evaluate(() => ({
			at: document.title,
			links: [...document.querySelectorAll('a')].map((a) => ({ to: a.className, href: a.href })),
			pictures: [...document.images].map((i) => i.naturalWidth),
			background: getComputedStyle(document.body).backgroundColor,
		}));
		assert.deepEqual({ at, pictures, background }, { at: title, pictures: [10], background: 'rgb(1, 2, 3)' }, self);
		for (const { to, href } of found) assert.equal(await titleAt(href), { self: title, top: title, about: 'about' }[to], `${self}: ${href}`);
	}
	await page.close();
}

test('the recipe for Vite', withChromium, async (t) => {
	const names = ['', 'about/', 'note:1/', 'http:/evil.example/', 'with space/', 'café/', 'c#/', '100%/', '%2e%2e/', 'plus+plus;x/', '@user/', 'deep/er/'];
	const at = site('vite', join(here, 'sites/node_modules'), {
		'main.js': "import './main.css';\nimport('./later.js');\n",
		'later.js': "document.body.dataset.ran = '1';\n",
		'main.css': 'body { background: rgb(1, 2, 3) }\n',
		'public/pic.svg': picture,
		...Object.fromEntries(names.map((name) => [`${name}index.html`, `<!DOCTYPE html><html><head><meta charset="utf-8"><title>${name.slice(0, -1) || 'home'}</title><script type="module" src="/main.js"></script></head><body>${body.replaceAll('/docs/pic', '/pic')}</body></html>\n`])),
		'about.html': `<!DOCTYPE html><html><head><title>page</title><script type="module" src="/main.js"></script></head><body>${body.replaceAll('/docs/pic', '/pic')}</body></html>\n`,
		'all.config.js': `import config from './vite.config.js';
export default { ...config, build: { outDir: 'out/docs', rolldownOptions: { input: ${JSON.stringify([...names.map((name) => `${name}index.html`), 'about.html'])} } } };
`,
	});
	const origin = await serve(join(at, 'out'), t);
	write(at, { 'vite.config.js': recipe('vite.config.js', origin) });
	execFileSync('node', ['node_modules/vite/bin/vite.js', 'build', '--config', 'all.config.js', '--logLevel', 'warn'], { cwd: at });
	await checkSite(join(at, 'out'), origin, names.length + 1);
});

test('the recipe for Astro', withChromium, async (t) => {
	const slugs = ['about', 'note:1', 'http:/evil.example', 'with space', 'café', 'c#', 'what?', 'plus+plus;x', '@user', 'deep/er'];
	const at = site('astro', join(here, 'sites/node_modules'), {
		'src/main.css': 'body { background: rgb(1, 2, 3) }\n',
		'src/pages/[...slug].astro': `---
import '../main.css';
export const getStaticPaths = () => ${JSON.stringify(slugs)}.map((slug) => ({ params: { slug } })).concat({ params: { slug: undefined } });
const { slug = 'home' } = Astro.params;
---
<html><head><meta charset="utf-8"><title>{slug}</title></head><body>${body}</body></html>
<script>document.body.dataset.ran = '1';</script>
`,
		'public/pic.svg': picture,
	});
	const origin = await serve(join(at, 'out'), t);
	write(at, {
		'astro.config.mjs': recipe('astro.config.mjs', origin),
		'all.config.mjs': "import config from './astro.config.mjs';\nexport default { ...config, outDir: 'out/docs' };\n",
	});
	const [major, minor] = process.versions.node.split('.').map(Number);
	const node = major > 22 || (major === 22 && minor >= 12); // Astro asks for it
	const program = node ? ['node'] : [join(here, 'node_modules/@oven/bun-linux-x64/bin/bun'), '--bun'];
	const [command, ...args] = [...program, 'node_modules/astro/bin/astro.mjs', 'build', '--config', 'all.config.mjs', '--silent'];
	execFileSync(command, args, { cwd: at, env: { ...process.env, ASTRO_TELEMETRY_DISABLED: '1' } });
	await checkSite(join(at, 'out'), origin, slugs.length + 1);
});

// plugged returns what the plugin makes of a page of a site.
async function plugged(options, { pathPrefix, runMode = 'build', url = '/p/', outputPath = 'out/p/index.html' } = {}) {
	const { default: absolink } = await import(join(dir, 'node_modules/absolink/eleventy.js'));
	let before;
	let transform;
	absolink({ pathPrefix, on: (name, f) => { before = f; }, addTransform: (name, f) => { transform = f; } }, options);
	before({ runMode });
	return transform.call({ page: { url, outputPath } }, '<a href=x><a href=#f>');
}

test('the plugin for Eleventy is off in a preview, unless an option asks', async () => {
	const url = 'https://example.org/';
	const kept = '<a href=x><a href=#f>';
	const rewritten = '<a href=https://example.org/p/x><a href=#f>';
	for (const runMode of ['serve', 'watch']) {
		assert.equal(await plugged({ url }, { runMode }), kept);
		assert.equal(await plugged({ url, preview: false }, { runMode }), kept);
		assert.equal(await plugged({ url, preview: true }, { runMode }), rewritten);
	}
	assert.equal(await plugged({ url }), rewritten);
	assert.equal(await plugged({ url }, { runMode: undefined }), rewritten);
});

test('the plugin for Eleventy and the URL of the site', async () => {
	for (const [site, url, want] of [
		['https://example.org', '/p/', 'https://example.org/p/x'],
		['https://example.org/docs', '/p/', 'https://example.org/docs/p/x'],
		['https://example.org/docs//', '/p/', 'https://example.org/docs/p/x'],
		['https://example.org/caf%C3%A9/ü', '/ü/', 'https://example.org/caf%C3%A9/%C3%BC/%C3%BC/x'],
		['HTTP:\\\\EXAMPLE.org:80', '/p/', 'http://example.org/p/x'],
		['https://user:password@example.org/', '/p/', 'https://example.org/p/x'],
		['https://example.org/docs/', '//evil.example/', 'https://example.org/docs/evil.example/x'],
		['https://example.org/docs/', 'evil:x/', 'https://example.org/docs/evil:x/x'],
		['https://example.org/docs/', '/../../../evil/', 'https://example.org/evil/x'],
		['https://example.org', '@evil.example/', 'https://example.org/@evil.example/x'],
		['https://example.org', '/about', 'https://example.org/x'],
		['https://example.org', '', 'https://example.org/x'],
	]) assert.equal(await plugged({ url: site }, { url }), `<a href=${want}><a href=#f>`, `${site} ${url}`);
	assert.equal(await plugged({ url: new URL('https://example.org/d'), keepFragments: false }), '<a href=https://example.org/d/p/x><a href=https://example.org/d/p/#f>');
	for (const page of [{ url: false }, { outputPath: false }, { outputPath: 'out/p.txt' }]) assert.equal(await plugged({ url: 'https://example.org/' }, page), '<a href=x><a href=#f>');
	for (const pathPrefix of [undefined, '', '/', 'docs', '/docs/', 'a/docs', '/a//docs']) await plugged({ url: 'https://example.org/a/docs' }, { pathPrefix });
});

test('a wrong option of the plugin for Eleventy is an error when it is added', async () => {
	const url = 'https://example.org/';
	for (const [options, part, pathPrefix] of [
		[undefined, 'url is missing; give the URL of the site\'s home page: addPlugin(absolink, { url: "https://example.org/" })'],
		[null, 'the options are not an object; write addPlugin(absolink, { url:'],
		[url, 'the options are not an object'],
		[{ url: 1 }, 'url is not a string or a URL'],
		[{ url: null }, 'url is not a string or a URL'],
		[{ url: '' }, 'url is not an absolute URL: ""; begin it with https://'],
		[{ url: 'example.org' }, 'url is not an absolute URL: "example.org"; begin it with https://'],
		[{ url: '/docs/' }, 'begin it with https://'],
		[{ url: 'localhost:8080' }, 'url begins with localhost:; begin it with https://'],
		[{ url: 'mailto:a@b' }, 'begin it with https://'],
		[{ url: 'javascript:alert(1)' }, 'begin it with https://'],
		[{ url: 'data:text/html,x' }, 'begin it with https://'],
		[{ url: 'https://' }, 'not an absolute URL'],
		[{ url: 'https://a b/' }, 'not an absolute URL'],
		[{ url: 'https://example.org/d?q' }, 'url has a query or a fragment; give https://example.org/d'],
		[{ url: 'https://example.org/#' }, 'url has a query or a fragment; give https://example.org/'],
		[{ url: 'https://example.org/d/index.html' }, 'url names a page; give https://example.org/d/'],
		[{ url: `https://example.org/${'d'.repeat(9000)}/` }, 'absolink/eleventy.d.ts describes the options'],
		[{ url }, 'url does not end in the pathPrefix of the site; give https://example.org/docs/', '/docs/'],
		[{ url: 'https://example.org/mydocs' }, 'give https://example.org/mydocs/docs/', 'docs'],
		[{ url, preview: 'yes' }, 'preview is not true or false'],
		[{ url, Url: url }, 'no such option: "Url"'],
		[{ url, keepFragments: 1 }, 'keepFragments is not true or false'],
		[{ url, rules: 'html' }, 'rules is not an array of strings'],
		[{ url, rules: ['nope'] }, 'nope'],
		[{ url, profile: 'html5' }, 'no such profile'],
		[{ url, visit: true }, 'visit is not a function'],
		[{ url, charset: 'utf-8' }, 'charset is of one document; leave it out'],
		[{ url, sheet: true }, 'sheet is of one document; leave it out'],
		[{ url, hold: 0 }, 'hold takes a number of bytes above 0'],
	]) {
		const error = await plugged(options, { pathPrefix }).then(() => null, (e) => e);
		assert(error instanceof (options?.hold === 0 ? RangeError : TypeError), `${JSON.stringify(options)}: ${error}`);
		assert(error.message.startsWith('absolink/eleventy: ') && error.message.includes(part), error.message);
	}
});

test('the types of the plugin for Eleventy', () => {
	write(dir, { 'use.mts': `import absolink, { type SiteOptions } from 'absolink/eleventy';
const options: SiteOptions = { url: new URL('http://h/'), preview: true, keepFragments: false, rules: ['html'], visit: (place) => place.url };
absolink({}, options);
absolink({}, { url: 'http://h/', immediate: true });
// @ts-expect-error
absolink({});
// @ts-expect-error
absolink({}, { preview: true });
// @ts-expect-error
absolink({}, { url: 'http://h/', preview: 'yes' });
// @ts-expect-error
absolink({}, { url: 'http://h/', charset: 'utf-8' });
` });
	const { status, stdout } = spawnSync('node', [join(here, 'node_modules/typescript/bin/tsc'), '--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022,dom,dom.iterable', 'use.mts'], { cwd: dir, encoding: 'utf8' });
	assert.equal(status, 0, stdout);
});
