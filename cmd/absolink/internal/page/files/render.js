import { isFile, isReport } from './api.js';
import { element } from './dom.js';

// What a document is without when it is rendered quietly. Its policy forbids requests, but
// browsers connect to a server ahead of a request: for a link element, for a frame, and for
// a link that is clicked. A template may become a shadow root, which hides these; what
// stands in the others is never rendered. Animations give links an href, and take one away.
const animations = 'animate, animateColor, animateMotion, animateTransform, discard, mpath, set';
const left = `base, link, meta, script, template, noembed, noframes, ${animations}`;
const framing = ':is(iframe, frame, fencedframe, object, embed, portal):is([src], [srcdoc], [data])';
const linking = ':is(a, area, math, math *):is([ping], [*|href])'; // in Firefox, every element of MathML
const nowhere = 'javascript:'; // does nothing where scripts do not run

// quieten takes out of a document what connects to servers, and reports whether it found
// any. Links stay links that lead nowhere, and have a title that says where they led.
function quieten(root) {
	let found = false;
	const change = (selector, f) => root.querySelectorAll(selector).forEach((e) => { found = f(e) || found; });
	change(left, (e) => {
		e.remove();
		return true;
	});
	change(framing, (e) => {
		for (const name of ['src', 'srcdoc', 'data']) e.removeAttribute(name);
		return true;
	});
	change(linking, (e) => {
		const leads = [...e.attributes].filter((a) => a.localName === 'ping' || (a.localName === 'href' && !(a.name === 'href' && a.value === nowhere)));
		if (leads.length === 0) return false;
		for (const a of leads) {
			if (a.localName === 'href' && !e.hasAttribute('title')) e.setAttribute('title', a.value);
			e.removeAttributeNode(a);
		}
		e.setAttribute('href', nowhere);
		return true;
	});
	return found;
}

// Parsers of browsers look through the elements that are open, at almost each tag: a document that
// leaves very many of them open takes minutes. A formatting element is dearer: it may be made again
// in each paragraph.
const mostWork = 100_000_000; // about a second; the largest of 130 real pages takes 3 million
const formatting = /^(?:a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)$/;
const neverOpen = /^(?:area|base|br|col|dd|dt|embed|hr|img|input|li|link|meta|option|p|source|td|th|tr|track|wbr)$/;

// isLong estimates whether a parser takes long. Of a name, each end tag closes one element. In SVG
// and MathML, all elements stay open until their end tags.
function isLong(text) {
	const foreign = /<(?:svg|math)\b/i.test(text);
	const tags = /<(\/?)([a-z][^\s/>]*)/gi;
	const open = new Map(); // how many elements of a name are open
	let weight = 0; // of all that are open
	let work = 0;
	for (let tag = tags.exec(text); tag && work <= mostWork; tag = tags.exec(text)) {
		const name = tag[2].toLowerCase();
		const n = open.get(name) ?? 0;
		const step = tag[1] ? -1 : 1;
		if (n + step >= 0 && (foreign || !neverOpen.test(name))) {
			open.set(name, n + step);
			weight += step * (formatting.test(name) ? 50 : 1);
		}
		work += weight;
	}
	return work > mostWork;
}

// quiet returns an HTML document that connects to no server. It is null where a parser takes long,
// or where a document cannot be written down without becoming another. A frame reads what quiet returns as
// DOMParser has read it: the DOCTYPE is there, scripts do not run, and there are no templates.
function quiet(text) {
	if (isLong(text)) return null;
	for (let tries = 0; tries < 4; tries++) {
		// The names of elements in a document hide its methods, not those of its elements.
		const root = Document.prototype.querySelector.call(new DOMParser().parseFromString(text, 'text/html'), ':root');
		if (!quieten(root) && tries > 0) return text;
		text = `<!DOCTYPE html>${root.outerHTML}`;
	}
	return null;
}

// figures are documents in frames without scripts, which the sandbox forbids. They inherit
// the policy of the document that they are put into.
function figures(titles, texts) {
	return titles.map((title, i) => element('figure', {},
		element('figcaption', {}, title),
		texts[i] === null ? element('p', {}, 'This document cannot be rendered safely here.')
			: element('iframe', { sandbox: '', title, srcdoc: texts[i], referrerpolicy: 'no-referrer' })));
}

// showQuiet shows documents that ask nobody for anything. The policy of a report or a file forbids
// all requests. The page itself asks its server, so a document with a policy of its own, under
// which nothing may be asked, stands between them.
export function showQuiet(into, titles, texts) {
	const shown = figures(titles, texts.map(quiet));
	if (isReport() || isFile()) {
		into.replaceChildren(...shown);
		return;
	}
	const between = element('iframe', { src: '/page/quiet.html', title: 'Rendered documents' });
	between.addEventListener('load', () => {
		const frames = between.contentDocument?.getElementById('frames');
		if (frames) frames.replaceChildren(...shown);
		else into.replaceChildren(element('p', {}, 'absolink serve does not answer: it has ended.'));
	});
	into.replaceChildren(between);
}

// openElsewhere shows documents in a window of its own, whose policy lets them ask other
// servers, as soon as the document of the window is there.
export function openElsewhere(titles, texts, shown = window.open('/page/elsewhere.html')) {
	if (!shown || shown.closed) return;
	const frames = shown.document.getElementById('frames');
	if (!frames) {
		setTimeout(openElsewhere, 50, titles, texts, shown);
		return;
	}
	frames.before(element('h1', {}, 'Original and rewritten, with what they ask other servers for'));
	frames.replaceChildren(...figures(titles, texts));
}
