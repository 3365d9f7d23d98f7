// What holds in every engine. suite throws where something does not, and returns how many
// checks there were.
export async function suite({ rewrite, rewriteAsync, rewriteFeed, rewriteStream, places, resolve, resolveAll, Rewriter }) {
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
	for (const start of ['\ufffe', '\ufeff', '\ubbef\u00bf', '\uedb2\ued80', '\udc80', '\u0000']) {
		for (const end of ['', '\ud800', '\udfff', '\ud800\ud800\udc00']) same(rewrite(`${start}<a href=x>${end}`, page), `${start}<a href=http://example.org/docs/x>${end}`);
	}
	const halves = '\ud800 é\u0900 <a href="x\ud800y?\udc80#\udfff" title="\udbff">'; // as browsers resolve them
	const whole = '\ud800 é\u0900 <a href="http://example.org/docs/x%EF%BF%BDy?%EF%BF%BD#%EF%BF%BD" title="\udbff">';
	const told = [];
	same(rewrite(halves, page, { visit: (p) => { told.push(p); } }), whole);
	same([...places(halves, page)].map(({ text, ...place }) => place), told);
	same([told[0].offset, told[0].raw], [bytes('--- é\u0900 <a href="').length, 'x\ud800y?\udc80#\udfff']);
	same(rewrite('<a href="?é#é">é\ud800', page, { charset: 'windows-1252' }), '<a href="http://example.org/docs/guide.html?%E9#%C3%A9">é\ud800');
	same([...places('<a href="?ж">', page, { charset: 'koi8-r' })][0].url, 'http://example.org/docs/guide.html?%D6');
	same(rewrite('<meta charset=latin1><a href="?é">', page), '<meta charset=latin1><a href="http://example.org/docs/guide.html?%C3%A9">');
	same(rewrite('\ufeff<a href=x>', page), '\ufeff<a href=http://example.org/docs/x>');
	same(rewrite('<img data-src=x><a ping=y>', page, { rules: ['html', 'lazy', '-a[ping]'] }), '<img data-src=http://example.org/docs/x><a ping=y>');
	same(rewrite('a{b:url(x)}', page, { sheet: true }), 'a{b:url(http://example.org/docs/x)}');

	fails(() => rewrite('x', 'nonsense'), TypeError, 'not an absolute URL');
	fails(() => rewrite(1, page), TypeError, 'not a string or bytes');
	fails(() => rewrite('x', page, { charset: 1 }), TypeError, 'charset is not a string');
	fails(() => rewrite('x', page, { hold: 0 }), RangeError, 'hold takes a number of bytes above 0');
	fails(() => rewrite('x', page, { profile: 'html5' }), TypeError, 'no such profile');
	fails(() => rewrite('x', page, { rules: ['nope'] }), TypeError, '"nope": it is neither a group (html, ');
	fails(() => rewrite('x', page, { rules: ['-a[ping]'] }), TypeError, 'name the groups to remove from');
	fails(() => rewrite('x', page, { colour: 1 }), TypeError, 'no such option');
	same(rewrite('<a href={{x}}><a href=[y]><a href=z>', page, { keep: ['{{*}}', '[y]'] }), '<a href={{x}}><a href=[y]><a href=http://example.org/docs/z>');
	same(rewrite('<a href=*|X|*><a href=x?*|X|*>', page, { keep: ['\\*|*'] }), '<a href=*|X|*><a href=http://example.org/docs/x?*|X|*>');
	fails(() => rewrite('x', page, { keep: 'x' }), TypeError, 'keep is not an array of strings');
	fails(() => rewrite('x', page, { keep: ['x\\'] }), TypeError, 'has a backslash');
	fails(() => rewrite('x', page, { keep: [1] }), TypeError, 'keep is not a string');
	fails(() => rewrite('x', page, { keep: [''] }), TypeError, 'the pattern "" is empty');
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
	fails(() => rewrite('<a href=x>', page, { visit: async () => { throw new Error('nobody awaits this'); } }), TypeError, 'it cannot be async');

	// rewriteAsync writes what rewrite does, with as many calls of visit at a time as it is told.
	const pause = () => new Promise((done) => { setTimeout(done, 1); });
	const many = `${Array.from({ length: 30 }, (_, i) => `<a href=${i} class="c${i} &amp;"><img srcset="a${i}, //[" ALT=${i}>`).join('')}<p style="a:url(b)">`;
	const signed = (p) => (p.attr === 'srcset' ? undefined : p.attribute('class') === 'c3 &' ? '' : `${p.url}?${p.attribute('CLASS')}`);
	for (const concurrency of [undefined, 1, 3, 1000]) {
		for (const document of [many, bytes(many)]) {
			const [wrong, wants] = [[], []];
			let [running, most] = [0, 0];
			const visit = async (p) => {
				most = Math.max(most, ++running);
				await pause();
				running--;
				return signed(p);
			};
			const options = { visit, unresolvable: (p) => { wrong.push([p.ref, p.attribute('alt')]); } };
			const got = await rewriteAsync(document, page, { ...options, concurrency });
			same(got, rewrite(document, page, { visit: signed, unresolvable: (p) => { wants.push([p.ref, p.attribute('alt')]); } }));
			same(await new Rewriter(options).rewriteAsync(document, page, { concurrency }), got);
			same(wrong, [...wants, ...wants]);
			same(most, Math.min(concurrency ?? 16, 91));
		}
	}
	const rejects = async (promise, type, part) => {
		const error = await promise.then(() => null, (e) => e);
		fails(() => { if (error) throw error; }, type, part);
	};
	let visits = 0;
	await rejects(rewriteAsync(many, page, { concurrency: 2, visit: async () => { await pause(); if (++visits === 3) throw new RangeError('mine'); } }), RangeError, 'mine');
	await pause();
	await pause();
	same(visits <= 4, true);
	await rejects(rewriteAsync('<a href=x>', page, { visit: async () => 1 }), TypeError, 'visit returned neither');
	await rejects(rewriteAsync('<a href=x>', page, { concurrency: 0 }), RangeError, 'concurrency takes a number of calls above 0');
	await rejects(rewriteAsync('<a href=x>', page, { colour: 1 }), TypeError, 'no such option');
	await rejects(new Rewriter().rewriteAsync('<a href=x>', page, { keep: ['x'] }), TypeError, 'no such option of a document');
	fails(() => rewrite('<a href=x>', page, { concurrency: 1 }), TypeError, 'no such option');
	same(await rewriteAsync('<a href=x>', page), '<a href=http://example.org/docs/x>');
	for (const changes of [bytes('<a href=x>'), globalThis.Buffer?.from('<a href=x>')].filter(Boolean)) {
		const copied = await rewriteAsync(changes, page, { visit: async () => { changes.fill(0); } });
		same(new Uint8Array(copied), bytes('<a href=http://example.org/docs/x>'));
	}

	same(rewrite('<a href=x>', page, { visit: (p) => rewrite(`<a href=${p.ref}2>`, page).slice(8, -1) }), '<a href=http://example.org/docs/x2>');
	let depth = 0;
	const deeper = (p) => {
		if (++depth < 10) rewrite(`<a href=${p.ref}>`, page, { visit: deeper });
	};
	rewrite('<a href=x>', page, { visit: deeper });
	same(depth, 10);
	const endless = () => { rewrite('<a href=x>', page, { visit: endless }); };
	fails(() => rewrite('<a href=x>', page, { visit: endless }), RangeError, 'functions of the options call absolink within calls');
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
	for (const refs of [[], ['x'], ['../x', '//[x', '', '?a', '//h/'], ['é', '\u{1f600}', '\ud83d', '\ude00', 'a\0b', 'x'.repeat(1e5)]]) {
		for (const profile of [undefined, 'rfc1808', 'rfc3986']) {
			same(resolveAll(refs, new URL(page), profile), refs.map((ref) => {
				try {
					return resolve(ref, page, profile);
				} catch {
					return null;
				}
			}));
		}
	}
	fails(() => resolveAll('x', page), TypeError, 'refs is not an array of strings');
	fails(() => resolveAll(['x', 1], page), TypeError, 'refs is not an array of strings');
	fails(() => resolveAll(['x'], ''), TypeError, 'not an absolute URL');
	fails(() => resolveAll(['x'], page, 'html5'), TypeError, 'no such profile');

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

	same(await streamed([bytes('a<a href=x>'), '\ud83d', bytes('é')]), 'a<a href=http://example.org/docs/x>\ufffdé');
	same(await streamed(['\ud83d', bytes(''), '', '\ude00', '\ud800\ud83d', '\ude00', '\ud800']), '😀\ufffd😀\ufffd');
	same(await streamed(['', bytes(''), new Uint8Array([0x3c, 0x61, 0x20, 0x68, 0x72, 0x65, 0x66, 0x3d, 0xe9, 0x3e])], { charset: 'latin1' }), '<a href=http://example.org/docs/%C3%A9>');
	same(await streamed(['<a href="?', 'é">'], { charset: 'latin1' }), '<a href="http://example.org/docs/guide.html?%E9">');

	const rewriter = new Rewriter({ keepFragments: true });
	same(rewriter.rewrite('<a href=#x><a href=y>', page), '<a href=#x><a href=http://example.org/docs/y>');
	rewriter.free();
	same(rewriter.rewrite('<a href=y>', page), '<a href=http://example.org/docs/y>');

	// Rewriters and functions share an instance. Functions of the options may use all of them.
	const list = places('<a href=1>'.repeat(10000), page);
	const lists = new Rewriter({ unresolvable() {} }).places('<a href=1>'.repeat(10000), page);
	const mine = new Rewriter({
		visit(p) {
			if (p.ref === 'free') mine.free();
			const [a, b] = [list, lists].map((l) => l.next().value.ref);
			return p.ref === 'inner' ? `http://inner/${a}${b}` : mine.rewrite('<a href=inner>').slice(8, -1);
		},
	});
	list.next();
	lists.next();
	same(mine.rewrite('<a href=x>'.repeat(3100), page), '<a href=http://inner/11>'.repeat(3100));
	fails(() => mine.rewrite('<a href=free>', page), TypeError, 'cannot free the Rewriter that calls them');
	same(mine.rewrite('<a href=inner>', page), '<a href=http://inner/11>');
	const other = new Rewriter();
	const ended = other.places('<a href=1>'.repeat(10000), page);
	ended.next();
	same(rewrite('<a href=x>', page, { visit: () => other.free() }), '<a href=http://example.org/docs/x>');
	for (const p of ended) if (p.offset > 5e4) break; // what has been read already
	fails(() => { for (const p of other.places('<a href=1>'.repeat(10000), page)) if (p.offset > 10) other.free(); }, Error, 'has been freed');
	const unfinished = other.rewriteStream(page);
	const writer = unfinished.writable.getWriter();
	unfinished.readable.pipeTo(new WritableStream()).catch(() => {});
	await writer.write('<a href=x>');
	other.free();
	n++;
	await writer.write('<a href=y>').then(() => { throw new Error('a stream outlives its Rewriter'); }, (error) => {
		if (!error.message.includes('has been freed')) throw error;
	});
	for (const name of ['visit', 'warn', 'unresolvable', 'done']) {
		const self = new Rewriter({ [name]() { self.free(); } });
		fails(() => self.rewrite('<rss><a href=x><a href="http://[">', page), TypeError, 'cannot free the Rewriter that calls them');
	}

	// What goes wrong with one document ends no other.
	const beside = rewriteStream(page);
	const besideWriter = beside.writable.getWriter();
	const besideText = new Response(beside.readable).text();
	const besideList = places('<a href="http://[1">'.repeat(10000), page);
	const given = new Uint8Array([60]);
	const cut = new Uint8Array(100000).fill(32);
	const cutList = places(cut, page, { wholeDocument: true });
	await besideWriter.write('<a href=x>');
	besideList.next();
	cutList.next();
	structuredClone([given, cut], { transfer: [given.buffer, cut.buffer] });
	fails(() => rewrite(given, page), TypeError, 'have been transferred');
	fails(() => rewrite(given.buffer, page), TypeError, 'have been transferred');
	const resizable = new ArrayBuffer(8, { maxByteLength: 8 });
	const cutOff = [new Uint8Array(resizable, 0, 8), new BigInt64Array(resizable, 0, 1), new DataView(resizable, 0, 8), new Uint8Array(resizable)];
	if (resizable.resize) {
		resizable.resize(0);
		for (const view of cutOff.slice(0, 3)) fails(() => rewrite(view, page), TypeError, '');
		same(rewrite(cutOff[3], page), bytes(''));
	}
	fails(() => rewrite(new DataView(new ArrayBuffer((1 << 30) + 1)), page), RangeError, 'rewriteStream takes documents of any length');
	n++;
	let frames = 300; // before the end of the stack
	(function deeper() {
		try {
			deeper();
		} catch { /* the end */ }
		for (const f of frames-- > 0 ? [() => rewrite('<a href=x>', page), () => resolve('x', page), () => [...places('<a href=x>', page)]] : []) {
			try {
				f();
			} catch { /* too near to the end */ }
		}
	})();
	for (const [options, pieces] of [ // cancelled at any time
		[{ warn() { cancelled.reader.cancel(); } }, [`<rss>${'x'.repeat(5000)}`, 'x']],
		[{ visit() { cancelled.reader.cancel(); } }, ['<body><a href=x>', 'x']],
		[{}, ['<a href=x>', 'x']],
	]) {
		const { readable, writable } = rewriteStream(page, options);
		const cancelled = { reader: readable.getReader() };
		const writer = writable.getWriter();
		const read = cancelled.reader.read();
		const written = pieces.map((p) => writer.write(p));
		if (!options.warn && !options.visit) await cancelled.reader.cancel();
		await Promise.allSettled([read, ...written, writer.closed]);
		n++;
	}
	const long = new Uint8Array(3 << 20).fill(32);
	long.set(bytes('<body><a href=x>'));
	const cutStream = rewriteStream(page, { visit: () => { structuredClone(long, { transfer: [long.buffer] }); } });
	cutStream.readable.pipeTo(new WritableStream()).catch(() => {});
	const cutPiece = cutStream.writable.getWriter().write(long);
	n++;
	await cutPiece.then(() => { throw new Error('the rest of a piece is lost'); }, (error) => {
		if (!(error instanceof TypeError) || !error.message.includes('have been transferred')) throw error;
	});
	let inner = null;
	const outer = new Rewriter({
		visit() { inner ??= besideWriter.write('<a href=y>'); },
		unresolvable() { same(besideList.next().value.ref, 'http://[1'); },
	});
	same(outer.rewrite('<a href=x><a href="http://[">', page), '<a href=http://example.org/docs/x><a href="http://[">');
	same([...outer.places('<a href="http://[">'.repeat(3), page)].length, 3);
	const [first] = await Promise.all([new Response(new Response('<a href=x>').body.pipeThrough(new Rewriter({ visit() { inner = besideWriter.write('<a href=z>'); } }).rewriteStream(page))).text(), inner]);
	same(first, '<a href=http://example.org/docs/x>');
	await inner;
	await besideWriter.close();
	same(await besideText, '<a href=http://example.org/docs/x><a href=http://example.org/docs/y><a href=http://example.org/docs/z>');
	same([...besideList].length, 9995);

	// What every object inherits is not an option, and not a function of options.
	const foreign = () => { throw new Error('nobody gave this function'); };
	const inherited = { sheet: true, charset: 'utf-16le', itemBase: 'feed', profile: 'rfc1808', keep: ['*'], visit: foreign, warn: foreign, unresolvable: foreign, stream: true, list: true, calls: true };
	Object.assign(Object.prototype, inherited);
	try {
		const [doc, want] = ['<rss><a href=x>', '<rss><a href=http://example.org/docs/x>'];
		for (const options of [undefined, {}, { unresolvable() {} }, { visit() {} }]) same([rewrite(doc, page, options), new Rewriter(options).rewrite(doc, page, {}), await streamed([doc], options)], [want, want, want]);
		same([...places(doc, page)].map((p) => p.url), ['http://example.org/docs/x']);
	} finally {
		for (const name of Object.keys(inherited)) delete Object.prototype[name];
	}

	// A feed that is read as HTML has one warning, however its pieces are cut.
	const warnings = async (pieces) => {
		const all = [];
		await streamed(pieces, { warn: (w) => all.push(w.offset) });
		const whole = [];
		if (pieces.every((p) => typeof p === 'string')) rewrite(pieces.join(''), page, { warn: (w) => whole.push(w.offset) });
		else whole.push(...all);
		same(whole, all);
		return all.length;
	};
	const utf16 = (s) => new Uint8Array(Uint16Array.from(`\ufeff${s}`, (c) => c.charCodeAt(0)).buffer);
	for (const feed of ['<rss version="2.0">', '\ufeff<?xml version="1.0"?>\n<!-- a --><rss>', '<rss/>', '<atom:feed xmlns:atom="http://www.w3.org/2005/Atom">', '<urlset>', '{"version":"https://jsonfeed.org/version/1.1"}', '<rdf:RDF xmlns="http://purl.org/rss/1.0/">']) {
		same(await warnings([feed]), 1);
		same(await warnings([...feed]), 1);
		same(await warnings([feed, 'x'.repeat(5000), 'x']), 1);
		same(await warnings([utf16(feed)]), 1);
	}
	for (const page of ['<!doctype html><p><rss>', '<feed>', '<rsss>', 'rss', '', '<p>{"version":"https://jsonfeed.org/version/1.1"}', '<rdf:RDF xmlns:x="http://x.example/">']) same(await warnings([page]), 0);

	const feed = '<rss><channel><item><link>/l/</link><description>&lt;a href=x></description></item></channel></rss>';
	for (const f of [(...args) => rewriteFeed(...args), (document, url, { keepFragments, ...of }) => new Rewriter({ keepFragments }).rewriteFeed(document, url, of)]) {
		same(f(feed, page, { keepFragments: true }), feed.replace('/l/', 'http://example.org/l/').replace('=x', '=http://example.org/l/x'));
		same(f(bytes(feed), page, { itemBase: 'feed' }), bytes(feed.replace('/l/', 'http://example.org/l/').replace('=x', '=http://example.org/docs/x')));
	}

	const read = [];
	const readable = '<a class="é &amp; y" href=x><body><img src=y DATA-N=1><style>a{b:url(z)}</style><a id=i href="http://[">';
	const reads = (p) => {
		read.push([p.ref, ...['class', 'data-N', 'id', 'href'].map((name) => p.attribute(name))]);
		reads.last = p;
	};
	const attributes = [['x', 'é & y', null, null, 'x'], ['y', null, '1', null, null], ['z', null, null, null, null], ['http://[', null, null, 'i', 'http://[']];
	same([rewrite(readable, page, { visit: reads }), read.splice(0)], [rewrite(readable, page), attributes]);
	await streamed([...readable], { visit: reads });
	same(read.splice(0), attributes);
	rewrite(readable, page, { unresolvable: reads });
	same(read.splice(0), attributes.slice(3));
	fails(() => reads.last.attribute('id'), TypeError, 'while visit or unresolvable');
	fails(() => [...places(readable, page, { unresolvable: reads })], TypeError, 'not of a list');
	rewrite('<a id=1 href=x><a id=2 href=y>'.repeat(2), page, {
		visit(p) {
			rewrite('<a id=inner href=z>', page, { visit: (inner) => { read.push(inner.attribute('id')); } });
			read.push(p.attribute('id'), p.attribute('x'.repeat(1e5)));
		},
	});
	same(read.splice(0), ['1', '2', '1', '2'].flatMap((id) => ['inner', id, null]));
	let collected = 0; // attributes that are read while the module collects its garbage
	rewrite(`<a title="${'t'.repeat(2000)}" href=x>`.repeat(5000), page, { visit: (p) => { collected += p.attribute('title').length; } });
	same(collected, 1e7);

	const results = [];
	const done = (result) => { results.push(result); };
	const wanted = { base: 'http://b/', source: 'embedded', rewritten: 2, absolute: 1, left: 0, unresolvable: 1, removed: 1, warnings: 0 };
	const counted = '<base href=//b><a href=x><a href=http://c/><a href=//[><img src=y>';
	rewrite(counted, page, { removeBase: true, done });
	await streamed([counted.slice(0, 9), counted.slice(9)], { removeBase: true, done });
	[...places(counted, page, { removeBase: true, done })];
	same(results.splice(0), [wanted, wanted, wanted]);
	rewriteFeed(feed, page, { done });
	new Rewriter({ done }).rewrite('<rss><a href=x>');
	same(results.splice(0), [
		{ base: page, source: 'outer', rewritten: 2, absolute: 0, left: 0, unresolvable: 0, removed: 0, warnings: 0 },
		{ source: 'none', rewritten: 0, absolute: 0, left: 1, unresolvable: 0, removed: 0, warnings: 1 },
	]);
	fails(() => rewrite('<a href=x>', page, { done() { throw new RangeError('mine'); } }), RangeError, 'mine');
	fails(() => rewrite('<a href=x>', page, { done, visit() { throw new RangeError('mine'); } }), RangeError, 'mine');
	same(results, []);

	// Options are what they were when they were given.
	const options = { visit: () => 'http://one/' };
	const kept = new Rewriter(options);
	options.visit = () => 'http://two/';
	same(kept.rewrite('<a href=x>', page), '<a href=http://one/>');
	fails(() => kept.rewrite('x', page, { keepFragments: true }), TypeError, 'no such option of a document: "keepFragments"');
	fails(() => kept.rewrite('x', page, null), TypeError, 'options is not an object');
	fails(() => rewrite('x', page, null), TypeError, 'options is not an object');
	for (const wrong of [null, 1, 'x', Symbol('x')]) {
		for (const f of [rewriteAsync, (...args) => kept.rewriteAsync(...args)]) await rejects(f('x', page, wrong), TypeError, 'options is not an object');
	}
	fails(() => resolve('x', ''), TypeError, 'base URL "": not an absolute URL');
	fails(() => resolve('x'), TypeError, 'base is not a string or a URL');
	const thenable = { then(resolved, rejected) { rejected(new Error('nobody awaits this')); } };
	fails(() => rewrite('<a href=x>', page, { visit: () => thenable }), TypeError, 'it cannot be async');

	if (Symbol.dispose) {
		other[Symbol.dispose]();
		n++;
	}
	return n;
}
