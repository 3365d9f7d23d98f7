import { element } from './dom.js';

const connecting = 'link, iframe[src], iframe[srcdoc], frame[src]';

// withoutConnections returns an HTML document without links, and with empty frames. For
// these, browsers connect to servers ahead of any request, which no policy forbids. It is
// null where a document cannot be written down without becoming another.
function withoutConnections(text) {
	for (let tries = 0; tries < 4; tries++) {
		const doc = new DOMParser().parseFromString(text, 'text/html');
		const found = doc.querySelectorAll(connecting);
		if (found.length === 0 && tries > 0) return text;
		for (const e of found) {
			if (e.localName === 'link') e.remove();
			e.removeAttribute('src');
			e.removeAttribute('srcdoc');
		}
		text = (doc.doctype ? new XMLSerializer().serializeToString(doc.doctype) : '') + doc.documentElement.outerHTML;
	}
	return null;
}

// frames shows documents without scripts: the sandbox forbids them, and so does the policy
// of the page, which documents in frames inherit, and which forbids all requests.
export function frames(titles, texts) {
	return titles.map((title, i) => element('figure', {},
		element('figcaption', {}, title),
		frame(title, texts[i])));
}

function frame(title, text) {
	return text === null ? element('p', {}, 'This document cannot be rendered safely.')
		: element('iframe', { sandbox: '', title, srcdoc: text, referrerpolicy: 'no-referrer' });
}

// quietFrames shows documents that ask nobody for anything.
export const quietFrames = (titles, texts) => frames(titles, texts.map(withoutConnections));

// openElsewhere shows documents in a window of its own, whose policy lets them ask other
// servers.
export function openElsewhere(titles, texts) {
	const shown = window.open('/page/render.html');
	addEventListener('message', function ready(event) {
		if (event.source !== shown || event.origin !== location.origin) return;
		removeEventListener('message', ready);
		shown.postMessage({ titles, texts }, location.origin);
	});
}
