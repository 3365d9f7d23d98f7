import { profiles, resolve } from './api.js';
import { differing, element, shortened, visible } from './dom.js';
import { baseOf, nameOf, states } from './model.js';

const long = 4000;

// A PlaceDialog shows one place, and how its reference is resolved.
export class PlaceDialog {
	// step is called with 1 or -1 where the next or previous place is asked for.
	constructor(dialog, step) {
		this.dialog = dialog;
		this.title = element('code');
		this.badge = element('span');
		this.content = element('div');
		dialog.append(this.head(step), this.content);
		dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
		dialog.addEventListener('keydown', (event) => {
			const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
			if (move) step(move);
		});
	}

	head(step) {
		const button = (label, text, onclick) => element('button', { type: 'button', 'aria-label': label, title: label, onclick }, text);
		return element('div', { class: 'dialog-head' },
			element('h2', { id: 'place-title', 'aria-live': 'polite' }, this.title), this.badge,
			element('span', { class: 'buttons' },
				button('Previous place', '‹', () => step(-1)), button('Next place', '›', () => step(1)),
				button('Close', '×', () => this.dialog.close())));
	}

	async show(model, place) {
		const layer = baseOf(model, place);
		const resolution = element('div', {}, element('p', {}, layer ? 'Resolving …' : 'No base URL is known, so that only an absolute URL leads anywhere.'));
		this.title.textContent = visible(nameOf(place));
		this.badge.textContent = states[place.state];
		this.badge.className = `badge ${place.state}`;
		this.content.replaceChildren(facts(place, layer), resolution);
		if (!this.dialog.open) {
			this.dialog.showModal();
			this.dialog.focus(); // the key that opened it must not press a button in it
		}
		this.dialog.scrollTop = 0;
		if (!layer) return;
		try {
			const results = await resolve(layer.url, place.ref);
			if (results) resolution.replaceChildren(...resolved(results, model.profile));
			else resolution.replaceChildren(element('p', {}, 'The report has no room for the steps of this place; absolink resolve --explain prints them.'));
		} catch (error) {
			resolution.replaceChildren(element('p', { role: 'alert' }, error.message));
		}
	}
}

// facts says what is known of a place.
function facts(place, layer) {
	const code = (text) => element('code', {}, visible(shortened(text, long)));
	const list = [['Reference', [code(place.ref)]]];
	if (place.ref !== place.raw) list.unshift(['Written', [code(place.raw)]]);
	if (layer) list.push(['Base URL', [code(layer.url), element('small', {}, visible(layer.origin))]]);
	if (place.state === 'rewritten') list.push(['Becomes', [code(place.url)]]);
	if (place.state === 'absolute') list.push(['Stays', ['the reference is absolute already']]);
	if (place.error) list.push(['Stays', [visible(place.error)]]);
	else if (place.state === 'left') list.push(['Stays', ['the value means the same wherever the document is']]);
	if (place.group) list.push(['Counts with', [`the rules ${place.group}`]]);
	list.push(['Where', [`byte ${place.offset.toLocaleString('en')}, syntax ${place.syntax}${place.rel ? `, rel ${visible(place.rel)}` : ''}`]]);
	return element('dl', { class: 'facts' }, ...list.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, ...value)]));
}

// resolved shows the results of all profiles, and their steps. The profile in effect goes
// before the others, and is what they are compared with.
function resolved(results, profile) {
	const text = (name) => results[name].url ?? '';
	const rows = profiles.map((name) => element('tr', { class: name === profile ? 'wins' : null },
		element('th', { scope: 'row' }, name, name === profile ? element('small', {}, ' in effect') : ''),
		element('td', {}, results[name].error
			? element('em', {}, visible(shortened(results[name].error, long)))
			: element('code', {}, ...differing(shortened(text(name), long), shortened(text(profile), long)))),
		element('td', {}, name === profile ? '' : text(name) === text(profile) && !results[name].error === !results[profile].error ? 'same' : element('strong', {}, 'differs'))));
	const head = element('tr', {}, ...['Profile', 'Result', 'Compared'].map((name) => element('th', { scope: 'col' }, name)));
	const ordered = [profile, ...profiles.filter((name) => name !== profile)];
	return [
		element('h3', {}, 'Results'),
		element('table', { class: 'results' }, element('thead', {}, head), element('tbody', {}, ...rows)),
		element('h3', {}, 'Steps'),
		...ordered.map((name) => element('details', { open: name === profile }, element('summary', {}, standards[name]), steps(results[name].steps ?? []))),
	];
}

const standards = { rfc1808: 'RFC 1808 §4', rfc3986: 'RFC 3986 §5.2', whatwg: 'WHATWG URL Standard §4.4' };

// steps shows steps one below another, each with what it changed marked.
function steps(list) {
	return element('ol', { class: 'steps' }, ...list.map((step, i) => element('li', {},
		element('span', { class: 'step' }, step.name),
		element('span', { class: 'text' }, visible(step.text)),
		element('code', {}, ...differing(shortened(step.value, long), i > 0 ? shortened(list[i - 1].value, long) : shortened(step.value, long))))));
}
