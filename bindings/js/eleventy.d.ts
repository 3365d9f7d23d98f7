import type { Options } from './index.js';

/**
 * A plugin for Eleventy: `eleventyConfig.addPlugin(absolink, { url: 'https://example.org/' })` makes the links in pages
 * and feeds absolute. Links within a page stay, unless `keepFragments` is false.
 */
export default function absolink(eleventyConfig: any, options: Options & { url: string }): void;
