import { element, markActive, onPoint, placeAt, shortened, splits, visible } from './dom.js';
import { VirtualList } from './list.js';
import { baseOf, nameOf, states } from './model.js';

const columns = ['State', 'Place', 'Reference', 'Becomes'];

// A PlaceTable shows the places that fit a filter.
export class PlaceTable {
	// tell is called with the place that is active, if there is one.
	constructor(grid, { hover, open, tell }) {
		this.grid = grid;
		this.tell = tell;
		this.hover = hover;
		this.open = open;
		this.places = [];
		this.active = -1; // the place, not the row
		const header = element('div', { class: 'row header', role: 'row', 'aria-rowindex': '1' },
			...columns.map((name) => element('span', { role: 'columnheader' }, name)));
		grid.setAttribute('aria-colcount', columns.length);
		this.list = new VirtualList(grid, (i) => this.row(i), header);
		onPoint(grid, hover);
		grid.addEventListener('click', (event) => placeAt(event) >= 0 && open(placeAt(event)));
		grid.addEventListener('keydown', (event) => this.key(event));
	}

	// show shows places, which are some of a model's: from the first on, or where the table is
	// scrolled to.
	show(model, places, stay) {
		this.model = model;
		this.places = places;
		this.rowOf = new Map(places.map((p, i) => [p.index, i]));
		this.grid.setAttribute('aria-rowcount', places.length + 1);
		if (!this.rowOf.has(this.active)) this.active = -1;
		this.list.show(places.length, stay);
		this.announce();
	}

	row(i) {
		const p = this.places[i];
		const cell = (name, ...text) => element('span', { role: 'gridcell', class: name }, ...text);
		return element('div', {
			class: `row ${p.state}${p.index === this.active ? ' active' : ''}`, role: 'row', id: `place-${p.index}`,
			'aria-rowindex': i + 2, 'aria-selected': String(p.index === this.active), 'data-place': p.index,
		},
		element('span', { role: 'gridcell', class: `badge ${p.state}` }, p.state === 'request' ? states.request : p.state),
		cell('name', visible(nameOf(p))), cell('ref', ...parted(p.ref)), cell('url', ...(p.error ? [element('span', { class: 'why', title: visible(becomes(p)) }, visible(shortened(becomes(p))))] : parted(becomes(p), this.likeBase(p)))));
	}

	// likeBase returns how much of the URL of a place its base has too, to the last slash.
	likeBase(p) {
		const base = p.state === 'rewritten' ? baseOf(this.model, p)?.url ?? '' : '';
		let n = 0;
		while (n < base.length && p.url[n] === base[n]) n++;
		return n === 0 ? 0 : p.url.lastIndexOf('/', n - 1) + 1;
	}

	// highlight marks the row of a place, and shows it where reveal says so.
	highlight(index, reveal) {
		if (index === this.active) return;
		this.active = index;
		const row = this.rowOf?.get(index);
		if (reveal && row !== undefined) this.list.reveal(row);
		markActive(this.grid, index);
		this.announce();
		this.tell(this.model?.places[index]);
	}

	// announce tells assistive technology which row is active.
	announce() {
		if (document.getElementById(`place-${this.active}`)) this.grid.setAttribute('aria-activedescendant', `place-${this.active}`);
		else this.grid.removeAttribute('aria-activedescendant');
	}

	key(event) {
		const page = Math.max(1, Math.floor(this.list.seen / this.list.height) - 2);
		const at = this.rowOf?.get(this.active) ?? -1;
		const moves = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: this.places.length - 1 };
		if (event.key in moves && this.places.length > 0) {
			const row = Math.min(Math.max(moves[event.key], 0), this.places.length - 1);
			this.list.reveal(row);
			this.hover(this.places[row].index);
		} else if ((event.key === 'Enter' || event.key === ' ') && at >= 0) {
			this.open(this.active);
		} else {
			return;
		}
		event.preventDefault();
	}
}

const longTail = 36;

// parted returns a text as nodes. Where there is no room for all of it, what stands before
// its tail is cut. The tail is what follows the first like characters, which are grey, or
// where that is long, the last characters, in which a text differs from others.
function parted(text, like = 0) {
	const short = shortened(text);
	const all = short === text ? like : 0;
	let at = short.length <= longTail ? 0 : short.length - 24;
	if (all > 0 && short.length - all <= longTail) at = all;
	if (at > 0 && splits(short, at)) at--;
	const grey = (from, to) => [element('span', { class: 'like' }, visible(short.slice(from, Math.max(from, Math.min(all, to))))), visible(short.slice(Math.max(all, from), to))];
	const head = at > 0 ? [element('span', { class: 'head' }, ...grey(0, at))] : [];
	return [...head, element('span', { class: 'tail' }, ...grey(at, short.length))];
}

// reasonOf returns why a place stays, without the reference and the base, which stand beside it.
function reasonOf(p) {
	const last = /^reference .*" on base URL ".*?": ([^]*)$/.exec(p.error);
	return last ? last[1] : p.error;
}

// becomes says what becomes of a place.
export function becomes(p) {
	switch (p.state) {
	case 'request': return `with rules ${p.group}`;
	case 'absolute': return 'stays';
	case 'left': case 'unresolvable': return p.error ? `stays: ${reasonOf(p)}` : 'stays';
	default: return p.url;
	}
}
