// A plugin for Eleventy: the pages and feeds of a site get absolute links.
import { rewrite, rewriteFeed } from './feeds.js';

export default function absolink(eleventyConfig, { url, ...options } = {}) {
	if (!url) throw new TypeError('absolink/eleventy needs the URL of the site: addPlugin(absolink, { url: "https://example.org/" })');
	const site = new URL(url);
	const kept = { keepFragments: true, ...options };
	eleventyConfig.addTransform('absolink', function (content) {
		const { url: path, outputPath } = this.page ?? this;
		if (typeof content !== 'string' || !outputPath || !path) return content;
		const page = new URL(path.replace(/^\//, ''), site.href.replace(/\/?$/, '/')).href;
		if (/\.html?$/i.test(outputPath)) return rewrite(content, page, kept);
		if (/\.(xml|rss|atom)$/i.test(outputPath) || /feed\.json$/i.test(outputPath)) return rewriteFeed(content, page, kept);
		return content;
	});
}
