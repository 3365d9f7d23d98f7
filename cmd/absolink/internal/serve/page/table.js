import { element, markActive, onPoint, placeAt, shortened, visible } from './dom.js';
import { VirtualList } from './list.js';
import { nameOf } from './model.js';

const columns = ['State', 'Place', 'Reference', 'Becomes'];

// A PlaceTable shows the places that fit a filter.
export class PlaceTable {
	constructor(grid, { hover, open }) {
		this.grid = grid;
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

	// show shows places, which are some of a model: from the first on, or where the table is
	// scrolled to.
	show(places, stay) {
		this.places = places;
		this.rowOf = new Map(places.map((p, i) => [p.index, i]));
		this.grid.setAttribute('aria-rowcount', places.length + 1);
		if (!this.rowOf.has(this.active)) this.active = -1;
		this.list.show(places.length, stay);
		this.announce();
	}

	row(i) {
		const p = this.places[i];
		const cell = (name, text) => element('span', { role: 'gridcell', class: name, title: text.length > 40 ? shortened(text, 2000) : null }, visible(shortened(text)));
		return element('div', {
			class: `row ${p.state}${p.index === this.active ? ' active' : ''}`, role: 'row', id: `place-${p.index}`,
			'aria-rowindex': i + 2, 'aria-selected': String(p.index === this.active), 'data-place': p.index,
		},
		element('span', { role: 'gridcell', class: `badge ${p.state}` }, p.state === 'request' ? 'on request' : p.state),
		cell('name', nameOf(p)), cell('ref', p.ref), cell('url', becomes(p)));
	}

	// highlight marks the row of a place, and shows it where reveal says so.
	highlight(index, reveal) {
		if (index === this.active) return;
		this.active = index;
		const row = this.rowOf?.get(index);
		if (reveal && row !== undefined) this.list.reveal(row);
		markActive(this.grid, index);
		this.announce();
	}

	// announce tells assistive technology which row is active.
	announce() {
		if (document.getElementById(`place-${this.active}`)) this.grid.setAttribute('aria-activedescendant', `place-${this.active}`);
		else this.grid.removeAttribute('aria-activedescendant');
	}

	key(event) {
		const page = Math.max(1, Math.floor(this.grid.clientHeight / this.list.height) - 2);
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

// becomes says what becomes of a place.
function becomes(p) {
	switch (p.state) {
	case 'request': return `with rules ${p.group}`;
	case 'absolute': return 'stays';
	case 'left': case 'unresolvable': return p.error ? `stays: ${p.error}` : 'stays';
	default: return p.url;
	}
}
