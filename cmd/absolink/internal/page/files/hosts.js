import { count, element, visible } from './dom.js';
import { hostOf, ownURL } from './model.js';

const most = 20;

// hostsChart shows to which hosts the links of a model lead, as bars; choose is called
// with the host of the bar that is chosen.
export function hostsChart(model, choose) {
	const own = new Set(model.documents.map((d) => hostOf(ownURL(d))).filter(Boolean));
	const hosts = new Map();
	let others = 0;
	for (const p of model.places) {
		if (p.state === 'request') continue;
		if (p.host === '') others++;
		else hosts.set(p.host, (hosts.get(p.host) ?? 0) + 1);
	}
	if (hosts.size + others === 0) return [element('p', {}, 'No links.')];
	const sorted = [...hosts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
	const internal = sorted.filter(([host]) => own.has(host)).reduce((sum, [, n]) => sum + n, 0);
	const external = sorted.reduce((sum, [, n]) => sum + n, 0) - internal;
	const elsewhere = sorted.filter(([host]) => !own.has(host)).length;
	const summary = own.size > 0 ? [`${count(internal, 'link')} to its own host`] : [];
	summary.push(`${count(external, 'link')} to ${count(elsewhere, own.size > 0 ? 'other host' : 'host')}`);
	if (others > 0) summary.push(`${others.toLocaleString('en')} without a host`);
	const bars = sorted.slice(0, most).map(([host, n]) => bar(host, n, sorted[0][1], own.has(host), choose));
	return [
		element('p', {}, `${summary.join(', ')}.`),
		element('ul', { class: 'bars' }, ...bars),
		sorted.length > most ? element('p', {}, `And ${count(sorted.length - most, 'more host')}.`) : '',
	];
}

function bar(host, n, longest, internal, choose) {
	const line = element('span', { class: 'bar', 'aria-hidden': 'true' });
	line.style.width = `${Math.max(0.5, (100 * n) / longest)}%`;
	const kind = internal ? 'internal' : 'external';
	return element('li', { class: kind },
		element('button', { type: 'button', onclick: () => choose(host) },
			element('span', { class: 'host', title: visible(host) }, element('span', {}, visible(host)), element('small', {}, ` ${kind}`)),
			element('span', { class: 'track' }, line), element('span', { class: 'n' }, count(n, 'link'))));
}
