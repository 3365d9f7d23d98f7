/// <reference lib="esnext.disposable" />

/** The standard that references are resolved by. The default is `whatwg`, which browsers follow. */
export type Profile = 'rfc1808' | 'rfc3986' | 'whatwg';

/** What holds bytes. */
export type Bytes = ArrayBufferLike | ArrayBufferView;

/** Bytes that the package has made. */
export type Rewritten = Uint8Array<ArrayBuffer>;

/** A Buffer, where the program has its type. */
export type NodeBuffer = typeof globalThis extends { Buffer: { alloc(size: number): infer B } } ? B : never;

/** A place: where a URL is written in a document. The names are the columns of `absolink list`. */
export interface Place {
	/** Where `raw` is: in bytes from the start of the document, or of a string in UTF-8. */
	offset: number;
	/** The name of the element, in lower case. */
	element: string;
	/** The name of the attribute, in lower case; absent for the text of an element. */
	attr?: string;
	/** How the value is read: `url`, `srcset`, `css`, … */
	syntax: string;
	/** The value of the element's `rel`. */
	rel?: string;
	/** The text of a link; of `places` alone. */
	text?: string;
	/** The reference as it stands in the document. */
	raw: string;
	/** The reference, decoded and trimmed. */
	ref: string;
	/** The absolute form; absent if the value stays. */
	url?: string;
	/** Why the reference has no absolute form. */
	error?: string;
}

/** A place that `visit` or `unresolvable` is given. */
export interface VisitedPlace extends Place {
	/**
	 * Reads another attribute of the element; `null` if the element lacks it, or the place is in no tag. A tag of more than
	 * 64 KiB may be known only in part.
	 * @throws {TypeError} The function that was given the place has returned, or the place is of `places`.
	 */
	attribute(name: string): string | null;
}

/** What has been done with a document. */
export interface Result {
	/** The base URL that references were resolved against; absent if none is known. Of a feed, it is the URL of the feed. */
	base?: string;
	/** Where the base came from: the caller, a BASE, what the page is in, or the URL that a saved page names. */
	source: 'none' | 'outer' | 'embedded' | 'entity' | 'saved';
	/** The number of places that were rewritten. */
	rewritten: number;
	/** The number of places that were absolute already. */
	absolute: number;
	/** The number of places that stay relative or empty. */
	left: number;
	/** The number of places whose reference has no absolute form. */
	unresolvable: number;
	/** The number of BASE elements whose URL was removed. */
	removed: number;
	/** How often `warn` was called, or would have been. */
	warnings: number;
}

/** What the transport says of a document. */
export interface DocumentOptions {
	/**
	 * The charset parameter of the Content-Type. Of a string, it is the encoding that the string was decoded from, which
	 * counts for the queries of links; UTF-8 if it is absent.
	 */
	charset?: string;
	/** Whether the document is a style sheet. */
	sheet?: boolean;
	/**
	 * Of a feed: what the links in its HTML are relative to, the link of the item (`link`, the default) or the feed
	 * itself (`feed`), as in feeds of Hugo with relativeURLs.
	 */
	itemBase?: 'link' | 'feed';
}

/** The options of a Rewriter. All are optional. */
export interface RewriterOptions {
	/** The standard to resolve by; `whatwg` if it is absent. */
	profile?: Profile;
	/**
	 * Which places there are: names of groups (`html`, `links`, `legacy`, `meta`, `lazy`, `json`, `modules`,
	 * `comments`, `allcomments`), and rules such as `img[data-zoom]=url` and `-a[ping]`. The default is `['html']`.
	 */
	rules?: readonly string[];
	/** Keep references that are only a fragment, such as `#top`. */
	keepFragments?: boolean;
	/**
	 * Patterns of references that stay as they are, such as `{{*` for the merge tags of a template: `*` stands for any
	 * characters, `\*` for a star, `\\` for a backslash, and a pattern has to fit all of a reference.
	 */
	keep?: readonly string[];
	/** Remove the URL of every BASE, if a base is known. */
	removeBase?: boolean;
	/** Let a BASE count wherever it stands, and not only in the head. */
	wholeDocument?: boolean;
	/** Ignore the comments in which browsers leave the URL of a saved page. */
	ignoreSaved?: boolean;
	/** Take the URL of `link rel=canonical` or `og:url` where nothing else gives a base. */
	canonical?: boolean;
	/** How many bytes may be held until it is known whether a BASE follows. The default is 16 MiB. */
	hold?: number;
	/** How many bytes may be held of one tag, or of one text with places. The default is 1 MiB. */
	maxTag?: number;
	/**
	 * Is called for every place before it is written. A string is written instead of `place.url`; `''` and `null` keep
	 * the value as it is; `undefined` changes nothing. Anything else, such as the promise of an async function, is a
	 * TypeError. What it throws ends the run, and is thrown again. It may use the package, and the Rewriter that calls
	 * it, but not free it.
	 */
	visit?(place: VisitedPlace): string | null | undefined | void;
	/** Is called for every place whose reference has no absolute form. */
	unresolvable?(place: VisitedPlace): void;
	/** Is told what is wrong with the document, other than with one place: also that it has met `hold` or `maxTag`, or is
	 * a feed, which is seen from its first 4 KiB. */
	warn?(warning: { offset: number; message: string }): void;
	/** Is told the result when a document, a stream, a list or a feed has come to its end. */
	done?(result: Result): void;
}

export type Options = RewriterOptions & DocumentOptions;

/** What `rewriteAsync` takes beside. */
export interface AsyncOptions {
	/** How many calls of `visit` may run at a time. The default is 16. */
	concurrency?: number;
}

/** The options of a Rewriter whose `visit` may be async. */
export interface AsyncRewriterOptions extends Omit<RewriterOptions, 'visit'> {
	visit?(place: VisitedPlace): string | null | undefined | void | Promise<string | null | undefined | void>;
}

/**
 * Returns the document with its links absolute; everything else is as it was. A feed is read as HTML, and `warn` is
 * told: `rewriteFeed` reads it as a feed.
 * @param document A string, or bytes in any encoding of the web. The result is a string, a Buffer of a Buffer, or a
 * Uint8Array of other bytes.
 * @param url The URL that the document was retrieved from: the base of relative links if the document embeds none.
 * @throws {TypeError} The URL cannot be a base URL, or an option is wrong.
 * @throws {RangeError} A number is out of range, or the document is longer than 1 GiB.
 */
export function rewrite(document: string, url?: string | URL | null, options?: Options): string;
export function rewrite(document: NodeBuffer, url?: string | URL | null, options?: Options): NodeBuffer;
export function rewrite(document: Bytes, url?: string | URL | null, options?: Options): Rewritten;
export function rewrite(document: string | Bytes, url?: string | URL | null, options?: Options): string | Rewritten;

/**
 * Does what `rewrite` does, with a `visit` that may be async. The document is read twice: `visit` and `unresolvable` are
 * called when the places are known, in the order of the document, and may read attributes at any time; `warn` and `done`
 * are called in the end. If a function fails, none is called again, and the promise is rejected.
 */
export function rewriteAsync(document: string, url?: string | URL | null, options?: AsyncRewriterOptions & DocumentOptions & AsyncOptions): Promise<string>;
export function rewriteAsync(document: NodeBuffer, url?: string | URL | null, options?: AsyncRewriterOptions & DocumentOptions & AsyncOptions): Promise<NodeBuffer>;
export function rewriteAsync(document: Bytes, url?: string | URL | null, options?: AsyncRewriterOptions & DocumentOptions & AsyncOptions): Promise<Rewritten>;
export function rewriteAsync(document: string | Bytes, url?: string | URL | null, options?: AsyncRewriterOptions & DocumentOptions & AsyncOptions): Promise<string | Rewritten>;

/**
 * Returns a feed (RSS, Atom, JSON Feed or a sitemap) with its links absolute: those of the feed itself, and those in its
 * HTML. Everything else is as it was.
 * @param feed A string, or bytes in the encoding that the feed declares. The result is of the same kind. A string has
 * been decoded already, so that its declaration does not count; `charset` is
 * the encoding that it was decoded from, and does not count for bytes.
 * @param url The URL that the feed was retrieved from.
 * @throws {TypeError} The URL cannot be a base URL, or an option is wrong.
 * @throws {RangeError} A number is out of range, or the feed is longer than 1 GiB.
 */
export function rewriteFeed(feed: string, url?: string | URL | null, options?: Options): string;
export function rewriteFeed(feed: NodeBuffer, url?: string | URL | null, options?: Options): NodeBuffer;
export function rewriteFeed(feed: Bytes, url?: string | URL | null, options?: Options): Rewritten;
export function rewriteFeed(feed: string | Bytes, url?: string | URL | null, options?: Options): string | Rewritten;

/**
 * Returns a stream that does the same piece by piece, and holds no more than it needs: for instance
 * `response.body.pipeThrough(rewriteStream(response.url))`. Write bytes or strings, and read bytes. The first piece
 * decides whether `charset` is the encoding of bytes or the one that strings were decoded from; after strings, bytes
 * are taken for UTF-8.
 */
export function rewriteStream(url?: string | URL | null, options?: Options): TransformStream<Bytes | string, Rewritten>;

/** Lists the places of a document, in document order. The document is read, and checked, as the list is. */
export function places(document: string | Bytes, url?: string | URL | null, options?: Options): IterableIterator<Place>;

/**
 * Returns the absolute form of a reference.
 * @throws {TypeError} The base is not an absolute URL, or the reference has no absolute form.
 */
export function resolve(ref: string, base: string | URL, profile?: Profile): string;

/**
 * Returns the absolute forms of many references, which takes less time than a call for each. Where a reference has no
 * absolute form, there is `null`.
 * @throws {TypeError} The base is not an absolute URL.
 */
export function resolveAll(refs: readonly string[], base: string | URL, profile?: Profile): (string | null)[];

/**
 * A Rewriter keeps its options, as they were when it was made, for many documents. All Rewriters and functions share
 * WebAssembly instances: one for streams and lists, and one for whole documents. There are more where a function of the
 * options calls the package, and where some streams have functions and others are lists.
 */
export class Rewriter implements Disposable {
	/** If `visit` is async, `rewriteAsync` alone can be called. */
	constructor(options?: RewriterOptions | AsyncRewriterOptions);
	rewrite(document: string, url?: string | URL | null, options?: DocumentOptions): string;
	rewrite(document: NodeBuffer, url?: string | URL | null, options?: DocumentOptions): NodeBuffer;
	rewrite(document: Bytes, url?: string | URL | null, options?: DocumentOptions): Rewritten;
	rewrite(document: string | Bytes, url?: string | URL | null, options?: DocumentOptions): string | Rewritten;
	rewriteAsync(document: string, url?: string | URL | null, options?: DocumentOptions & AsyncOptions): Promise<string>;
	rewriteAsync(document: NodeBuffer, url?: string | URL | null, options?: DocumentOptions & AsyncOptions): Promise<NodeBuffer>;
	rewriteAsync(document: Bytes, url?: string | URL | null, options?: DocumentOptions & AsyncOptions): Promise<Rewritten>;
	rewriteAsync(document: string | Bytes, url?: string | URL | null, options?: DocumentOptions & AsyncOptions): Promise<string | Rewritten>;
	rewriteFeed(feed: string, url?: string | URL | null, options?: DocumentOptions): string;
	rewriteFeed(feed: NodeBuffer, url?: string | URL | null, options?: DocumentOptions): NodeBuffer;
	rewriteFeed(feed: Bytes, url?: string | URL | null, options?: DocumentOptions): Rewritten;
	rewriteFeed(feed: string | Bytes, url?: string | URL | null, options?: DocumentOptions): string | Rewritten;
	rewriteStream(url?: string | URL | null, options?: DocumentOptions): TransformStream<Bytes | string, Rewritten>;
	places(document: string | Bytes, url?: string | URL | null, options?: DocumentOptions): IterableIterator<Place>;
	/**
	 * Gives up the streams and lists that are not at their ends, and so their memory. The Rewriter may be used again.
	 * @throws {TypeError} A function of the options calls it, in a call of this Rewriter.
	 */
	free(): void;
	/** Is `free`. */
	[Symbol.dispose](): void;
}
