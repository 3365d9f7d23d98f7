// What holds in every engine. suite throws where something does not, and returns how many
// checks there were.
export async function suite({ rewrite, rewriteStream, places, resolve, Rewriter }) {
	let n = 0;
	const same = (got, want) => {
		n++;
		const [a, b] = [got, want].map((v) => JSON.stringify(v instanceof Uint8Array ? [...v] : v));
		if (a !== b) throw new Error(`${a}, want ${b}`);
	};
	const fails = (f, type, part) => {
		n++;
		try {
			f();
		} catch (error) {
			if (!(error instanceof type) || !error.message.includes(part)) throw new Error(`${error.name}: ${error.message}, want ${type.name} with ${part}`);
			return;
		}
		throw new Error(`no ${type.name} with ${part}`);
	};
	const bytes = (s) => new TextEncoder().encode(s);
	const page = 'http://example.org/docs/guide.html';

	same(rewrite('<a href=../style.css>é', page), '<a href=http://example.org/style.css>é');
	same(rewrite(bytes('<a href=x>'), page), bytes('<a href=http://example.org/docs/x>'));
	same(rewrite(bytes('<a href=x>').buffer, new URL(page)), bytes('<a href=http://example.org/docs/x>'));
	same(rewrite(new Uint8Array([0x3c, 0x61, 0x20, 0x68, 0x72, 0x65, 0x66, 0x3d, 0xe9, 0x3e]), page, { charset: 'latin1' }), bytes('<a href=http://example.org/docs/%C3%A9>'));
	same(rewrite('<a href=x>\ud800\udc00 \udc00 \ud800', page), '<a href=http://example.org/docs/x>\ud800\udc00 \udc00 \ud800');
	same(rewrite('\ufeff<a href=x>', page), '\ufeff<a href=http://example.org/docs/x>');
	same(rewrite('<img data-src=x><a ping=y>', page, { rules: ['html', 'lazy', '-a[ping]'] }), '<img data-src=http://example.org/docs/x><a ping=y>');
	same(rewrite('a{b:url(x)}', page, { sheet: true }), 'a{b:url(http://example.org/docs/x)}');

	fails(() => rewrite('x', 'nonsense'), TypeError, 'not an absolute URL');
	fails(() => rewrite(1, page), TypeError, 'not a string or bytes');
	fails(() => rewrite('x', page, { charset: 'utf-8' }), TypeError, 'charset is for bytes');
	fails(() => rewrite('x', page, { hold: 0 }), RangeError, 'hold takes a number of bytes above 0');
	fails(() => rewrite('x', page, { profile: 'html5' }), TypeError, 'no such profile');
	fails(() => rewrite('x', page, { rules: ['nope'] }), TypeError, 'nope');
	fails(() => rewrite('x', page, { colour: 1 }), TypeError, 'no such option');
	fails(() => rewrite('x', page, { keepFragments: 1 }), TypeError, 'keepFragments is not true or false');

	const seen = [];
	same(rewrite('<a href=x><a href=y><a href=z>', page, {
		visit(p) {
			seen.push(p.ref);
			return { x: 'http://v/"', y: null }[p.ref];
		},
	}), '<a href=http://v/&quot;><a href=y><a href=http://example.org/docs/z>');
	same(seen, ['x', 'y', 'z']);
	fails(() => rewrite('<a href=x>', page, { visit() { throw new RangeError('mine'); } }), RangeError, 'mine');
	for (const url of [Promise.resolve('http://v/'), 1, false, {}]) fails(() => rewrite('<a href=x>', page, { visit: () => url }), TypeError, 'it cannot be async');
	same(rewrite('<a href=x>', page, { visit: (p) => rewrite(`<a href=${p.ref}2>`, page).slice(8, -1) }), '<a href=http://example.org/docs/x2>');
	for (const [options, want] of [[{}, 0], [{ hold: 10 }, 1], [{ hold: 10, maxTag: 100 }, 2]]) {
		const limits = [];
		rewrite(`<link href=x><title>title</title><base href=/b/><a href=x title='${'x'.repeat(100)}'>`, page, { ...options, warn: (w) => limits.push(w.message) });
		same(limits.filter((message) => message.includes('than may be held')).length, want);
	}

	same([...places('<link rel=icon href=i><a href="x &amp; y">t é</a>', page)], [
		{ offset: 20, element: 'link', attr: 'href', syntax: 'url', rel: 'icon', raw: 'i', ref: 'i', url: 'http://example.org/docs/i' },
		{ offset: 31, element: 'a', attr: 'href', syntax: 'url', text: 't é', raw: 'x &amp; y', ref: 'x & y', url: 'http://example.org/docs/x%20&%20y' },
	]);
	for (const p of places('<a href=x>'.repeat(100000), page)) {
		same(p.ref, 'x');
		break; // gives the document up
	}
	let count = 0;
	for (const p of places('<a href=x>'.repeat(100000), page)) count += p.url.length > 0 ? 1 : 0;
	same(count, 100000);

	same(resolve('../x', 'http://h/a/b/'), 'http://h/a/x');
	same(resolve('../../../x', 'http://h/a/b', 'rfc1808'), 'http://h/../../x');
	fails(() => resolve('//[x', page), TypeError, '[x');

	const streamed = async (pieces, options) => {
		const { readable, writable } = rewriteStream(page, options);
		const writer = writable.getWriter();
		const sent = (async () => {
			for (const p of pieces) await writer.write(p);
			await writer.close();
		})();
		const [text] = await Promise.all([new Response(readable).text(), sent]);
		return text;
	};
	same(await streamed([bytes('<a hr'), bytes('ef=x>'), bytes('y')]), '<a href=http://example.org/docs/x>y');
	same(await streamed(['<a href=x>\ud83d', '\ude00']), '<a href=http://example.org/docs/x>😀');
	same(await streamed([]), '');
	n++;
	await streamed([1]).then(() => { throw new Error('a stream takes a number'); }, (error) => {
		if (!(error instanceof TypeError)) throw error;
	});

	const rewriter = new Rewriter({ keepFragments: true });
	same(rewriter.rewrite('<a href=#x><a href=y>', page), '<a href=#x><a href=http://example.org/docs/y>');
	rewriter.free();
	same(rewriter.rewrite('<a href=y>', page), '<a href=http://example.org/docs/y>');
	return n;
}
