// Uses all that the declarations of the package have.
import { places, resolve, rewrite, rewriteAsync, rewriteFeed, Rewriter, rewriteStream } from 'absolink';
import type { Bytes, DocumentOptions, Options, Place, Profile, Result, Rewritten, RewriterOptions } from 'absolink';
import * as feeds from 'absolink/feeds';
import { init, type Absolink, type Module } from 'absolink/init';
import * as inline from 'absolink/inline';
import module from 'absolink/absolink.wasm';

const profile: Profile = 'rfc1808';
const own: Required<RewriterOptions> = {
	profile,
	rules: ['html', 'img[data-zoom]=url'] as const,
	keep: ['{{*}}'],
	keepFragments: true,
	removeBase: true,
	wholeDocument: true,
	ignoreSaved: true,
	canonical: true,
	hold: 1,
	maxTag: 1,
	visit: (place) => place.attribute('class') ?? place.url?.replace('http:', 'https:'),
	unresolvable: ({ error }) => console.log(error),
	warn: ({ offset, message }) => console.log(offset, message),
	done: ({ base, source, rewritten, absolute, left, unresolvable, removed, warnings }: Result) => console.log(base ?? source, rewritten + absolute + left + unresolvable + removed + warnings),
};
const of: Required<DocumentOptions> = { charset: 'latin1', sheet: false, itemBase: 'link' };
const options: Options = { ...own, ...of };
const url: URL | string = Math.random() < 2 ? 'http://h/' : new URL('http://h/');

const text: string = rewrite('x', url, options);
const bytes: Uint8Array<ArrayBuffer> = rewrite(new Uint8Array(1), url);
const again: Rewritten = rewrite(new ArrayBuffer(1), null);
rewrite(new SharedArrayBuffer(1));
rewrite(new DataView(new ArrayBuffer(1)));
const either = (document: string | Uint8Array): string | Uint8Array<ArrayBuffer> => rewrite(document, url);
const any: Bytes | string = either(text);
new Response(bytes);
new Response(rewrite(again, url, {}));
new Blob([bytes]);
rewrite('x', undefined, { visit() {} });
rewrite('x', undefined, { visit: () => null });

async function streams(response: Response): Promise<string> {
	const body = response.body!.pipeThrough(rewriteStream(response.url, { charset: 'utf-8' }));
	new ReadableStream<string>().pipeThrough(rewriteStream(url));
	return new Response(body).text();
}

async function asynchronous(): Promise<void> {
	const visit = async (place: Place) => place.url?.replace('http:', 'https:');
	const [text, bytes]: [string, Uint8Array<ArrayBuffer>] = [await rewriteAsync('x', url, { visit, concurrency: 2 }), await rewriteAsync(new Uint8Array(1), url, options)];
	const more: string | Uint8Array<ArrayBuffer> = await new Rewriter({ visit }).rewriteAsync(either(text), url, { concurrency: 1, charset: 'utf-8' });
	console.log(bytes, more, inline.rewriteAsync, init(module).rewriteAsync);
	// @ts-expect-error: it is no option of the others
	rewrite('x', url, { concurrency: 2 });
}
asynchronous();

const all: Place[] = [...places(any, url, options)];
for (const place of places('x')) {
	const values: [number, string, string | undefined, string, string | undefined, string | undefined, string, string, string | undefined, string | undefined] = [
		place.offset, place.element, place.attr, place.syntax, place.rel, place.text, place.raw, place.ref, place.url, place.error,
	];
	console.log(values, all, streams);
}
resolve('x', url);
resolve('x', new URL('http://h/'), 'whatwg');

{
	using rewriter = new Rewriter(own);
	const disposable: Disposable = rewriter;
	const results: [string, Uint8Array<ArrayBuffer>, string | Uint8Array<ArrayBuffer>] = [rewriter.rewrite('x', url, of), rewriter.rewrite(bytes), rewriter.rewrite(any)];
	rewriter.rewriteStream(url, of);
	console.log([...rewriter.places('x', url, of)], disposable, results);
	rewriter.free();
}

const feed: string = rewriteFeed('<rss>', url, options);
const feedBytes: Uint8Array<ArrayBuffer> = inline.rewriteFeed(bytes, url);
const feedEither: string | Uint8Array<ArrayBuffer> = inline.rewriteFeed(any);
const compiled: Module = module;
const brought: Absolink = init(compiled);
const broughtToo: Absolink = init(new Uint8Array(feedBytes));
new brought.Rewriter().free();
broughtToo.rewriteFeed(feed, url);
init(module).rewrite(feedEither);
inline.resolve('x', url);
feeds.rewriteFeed(feed);

// @ts-expect-error
rewrite(1);
// @ts-expect-error: it cannot be async
rewrite('x', url, { visit: async () => 'http://h/' });
// @ts-expect-error: there is no such option
rewrite('x', url, { keepFragment: true });
// @ts-expect-error: it is of a document
new Rewriter({ charset: 'utf-8' });
