import type { Bytes, Options, Rewritten } from './index.js';

export { places, resolve, rewrite, Rewriter, rewriteStream } from './index.js';
export type { Bytes, DocumentOptions, Options, Place, Profile, RewriterOptions, Rewritten } from './index.js';

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
export function rewriteFeed(feed: Bytes, url?: string | URL | null, options?: Options): Rewritten;
export function rewriteFeed(feed: string | Bytes, url?: string | URL | null, options?: Options): string | Rewritten;
