import type { RewriterOptions } from './index.js';

/** The options of the plugin. Those of a Rewriter are for each page and feed. */
export interface SiteOptions extends RewriterOptions {
	/** The URL of the site's home page. If the site has a pathPrefix, the URL ends in it. */
	url: string | URL;
	/** Also make links absolute in a preview: with `--serve` and `--watch`. */
	preview?: boolean;
	/** Keep links within a page, such as `#top`. The default is true. */
	keepFragments?: boolean;
	/** Eleventy's own: add the plugin at once. */
	immediate?: boolean;
}

/**
 * A plugin for Eleventy: `eleventyConfig.addPlugin(absolink, { url: 'https://example.org/' })` makes the links in pages
 * and feeds absolute. The URL of a page is the URL of the site, followed by what Eleventy says is the page's path.
 * @throws {TypeError} The URL cannot be that of a site, or an option is wrong.
 * @throws {RangeError} A number is out of range.
 */
export default function absolink(eleventyConfig: any, options: SiteOptions): void;
