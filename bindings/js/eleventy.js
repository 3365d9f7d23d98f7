// A plugin for Eleventy: the pages and feeds of a site get absolute links.
import { own } from './core.js';
import { rewrite, rewriteFeed } from './node.js';

const usage = 'addPlugin(absolink, { url: "https://example.org/" })';
const wrong = (message) => new TypeError(`absolink/eleventy: ${message}`);

export default function absolink(eleventyConfig, options = {}) {
	if (options === null || typeof options !== 'object') throw wrong(`the options are not an object; write ${usage}`);
	const { url, preview = false, immediate, keepFragments = true, ...others } = own(options); // immediate is Eleventy's
	const site = siteOf(url, eleventyConfig.pathPrefix);
	if (typeof preview !== 'boolean') throw wrong('preview is not true or false');
	const kept = own({ keepFragments, ...others });
	check(site, kept);

	let works = true;
	eleventyConfig.on('eleventy.before', ({ runMode }) => { works = preview || (runMode !== 'serve' && runMode !== 'watch'); });
	eleventyConfig.addTransform('absolink', function (content) {
		const { url: path, outputPath } = this.page ?? this;
		if (!works || typeof content !== 'string' || typeof path !== 'string' || !outputPath) return content;
		if (/\.html?$/i.test(outputPath)) return rewrite(content, pageOf(site, path), kept);
		if (/\.(xml|rss|atom)$/i.test(outputPath) || /feed\.json$/i.test(outputPath)) return rewriteFeed(content, pageOf(site, path), kept);
		return content;
	});
}

// siteOf checks the URL of the site, and returns it with a slash at its end.
function siteOf(url, pathPrefix) {
	if (url === undefined) throw wrong(`url is missing; give the URL of the site's home page: ${usage}`);
	if (typeof url !== 'string' && !(url instanceof URL)) throw wrong(`url is not a string or a URL; give the URL of the site's home page: ${usage}`);
	if (!URL.canParse(url)) throw wrong(`url is not an absolute URL: ${JSON.stringify(url)}; begin it with https://`);
	const site = new URL(url);
	if (!/^https?:$/.test(site.protocol)) throw wrong(`url begins with ${site.protocol}; begin it with https://`);
	if (/[?#]/.test(site.href)) throw wrong(`url has a query or a fragment; give ${site.origin}${site.pathname}`);
	const file = /[^/]*\.html?$/i.exec(site.pathname);
	if (file) throw wrong(`url names a page; give ${site.origin}${site.pathname.slice(0, file.index)}`);
	site.pathname = site.pathname.replace(/\/*$/, '/');
	const prefix = new URL(`http://h/${pathPrefix ?? ''}/`).pathname.replace(/\/+/g, '/');
	if (!site.pathname.endsWith(prefix)) throw wrong(`url does not end in the pathPrefix of the site; give ${site.origin}${site.pathname}${prefix.slice(1)}`);
	return site;
}

// check has the library check the options.
function check(site, options) {
	for (const name of ['charset', 'sheet']) if (options[name] !== undefined) throw wrong(`${name} is of one document; leave it out`);
	try {
		rewrite('', site, options);
	} catch (error) {
		error.message = `absolink/eleventy: ${error.message}; absolink/eleventy.d.ts describes the options`;
		throw error;
	}
}

// pageOf returns the URL where a site serves what it has at a path. The path is that of a
// file, so that nothing in it is encoded, and a "?" begins no query.
function pageOf(site, path) {
	return new URL(site.href + path.replace(/^\/+/, '').split(/\/+/).map(segmentOf).join('/'));
}

// segmentOf encodes a name. Of what URLs allow in a segment, ";" is encoded because RFC 1808
// begins parameters with it, and "+" because some servers read a space.
function segmentOf(name) {
	return encodeURIComponent(name.toWellFormed()).replace(/%(?:24|26|2C|3A|3D|40)/g, (code) => decodeURIComponent(code));
}
