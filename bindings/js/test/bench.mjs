// Compares the package with what else makes links absolute in JavaScript: CPU time on one
// core, in turn, medians. node bench.mjs PACKAGE FILE…; Bun measures its own HTMLRewriter.
import { readFileSync } from 'node:fs';
import { join, resolve as pathOf } from 'node:path';

const [directory, ...files] = process.argv.slice(2);
const { rewrite, rewriteStream } = await import(join(pathOf(directory), 'node.js'));
const pages = files.map((name) => readFileSync(name));
const total = pages.reduce((sum, page) => sum + page.length, 0);
const url = 'https://example.org/a/b';

const absolute = (value) => {
	try {
		return new URL(value, url).href;
	} catch {
		return value;
	}
};

const ways = {
	'absolink rewrite': (page) => rewrite(page, url),
	'absolink rewriteStream': async (page) => {
		const pieces = new ReadableStream({
			start(controller) {
				for (let i = 0; i < page.length; i += 65536) controller.enqueue(page.subarray(i, i + 65536));
				controller.close();
			},
		});
		const reader = pieces.pipeThrough(rewriteStream(url)).getReader();
		while (!(await reader.read()).done);
	},
};

if (globalThis.HTMLRewriter) {
	const change = (name) => ({ element: (e) => e.setAttribute(name, absolute(e.getAttribute(name))) });
	const rewriter = new HTMLRewriter().on('[href]', change('href')).on('[src]', change('src'));
	ways['Bun HTMLRewriter'] = async (page) => rewriter.transform(new Response(page)).arrayBuffer();
} else {
	const { HTMLRewriter } = await import('html-rewriter-wasm');
	ways['html-rewriter-wasm'] = async (page) => {
		const out = [];
		const rewriter = new HTMLRewriter((piece) => out.push(piece.slice()));
		for (const name of ['href', 'src']) rewriter.on(`[${name}]`, { element: (e) => e.setAttribute(name, absolute(e.getAttribute(name))) });
		await rewriter.write(page);
		await rewriter.end();
		rewriter.free();
		return Buffer.concat(out);
	};
	const { default: posthtml } = await import('posthtml');
	const { default: posthtmlURLs } = await import('posthtml-urls');
	const post = posthtml([posthtmlURLs({ eachURL: absolute })]);
	ways['posthtml-urls'] = async (page) => Buffer.from((await post.process(page.toString())).html);
	const { rehype } = await import('rehype');
	const { default: rehypeURLs } = await import('rehype-urls');
	const re = rehype().use(rehypeURLs, (u) => absolute(u.href));
	ways['rehype-urls'] = async (page) => Buffer.from(String(await re.process(page.toString())));
	const { load } = await import('cheerio');
	ways['cheerio and URL'] = (page) => {
		const $ = load(page);
		for (const name of ['href', 'src']) $(`[${name}]`).each((_, e) => { e.attribs[name] = absolute(e.attribs[name]); });
		return Buffer.from($.html());
	};
}

const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
const failed = {};
for (let round = 0; round < 9; round++) {
	for (const [name, way] of Object.entries(ways)) {
		const before = process.cpuUsage();
		for (const page of pages) {
			try {
				await way(page);
			} catch (error) {
				(failed[name] ??= new Set()).add(error.message);
			}
		}
		const { user, system } = process.cpuUsage(before);
		if (round > 2) times[name].push((user + system) / 1e6); // three rounds warm up
	}
}
console.log(`${pages.length} pages, ${(total / 1e6).toFixed(1)} MB`);
for (const [name, seconds] of Object.entries(times)) {
	const median = seconds.sort((a, b) => a - b)[Math.floor(seconds.length / 2)];
	console.log(`${name.padEnd(24)} ${(total / 1e6 / median).toFixed(0).padStart(5)} MB/s${failed[name] ? `   (${[...failed[name]].join('; ').slice(0, 80)})` : ''}`);
}
