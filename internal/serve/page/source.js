import { element, markActive, onPoint, placeAt, visible } from './dom.js';
import { VirtualList } from './list.js';

// A SourceView shows a source in rows as wide as there is room, with its places marked.
export class SourceView {
	constructor(viewport, { hover, open }) {
		this.viewport = viewport;
		this.active = -1;
		this.model = { text: '', places: [] };
		this.starts = [0];
		this.list = new VirtualList(viewport, (i) => this.row(i));
		this.probe = element('span', { class: 'probe', 'aria-hidden': 'true' }, '0'.repeat(100));
		viewport.append(this.probe);
		new ResizeObserver(() => this.wrap()).observe(viewport);
		onPoint(viewport, hover);
		viewport.addEventListener('click', (event) => placeAt(event) >= 0 && open(placeAt(event)));
	}

	show(model) {
		this.model = model;
		this.columns = 0;
		this.wrap(true);
	}

	// wrap makes rows for the width that there is.
	wrap(anew = false) {
		const gutter = 64;
		const width = this.probe.getBoundingClientRect().width / 100 || 8;
		const columns = Math.max(20, Math.floor((this.viewport.clientWidth - gutter) / width));
		if (columns === this.columns) return;
		this.columns = columns;
		const { text } = this.model;
		this.starts = [];
		this.lines = new Map();
		for (let start = 0, line = 1; start < text.length || line === 1; line++) {
			let end = text.indexOf('\n', start);
			if (end < 0) end = text.length;
			this.lines.set(this.starts.length, line);
			do {
				this.starts.push(start);
				start += columns;
			} while (start < end);
			start = end + 1;
		}
		const top = this.first ?? 0;
		this.list.show(this.starts.length);
		if (!anew) this.list.reveal(this.rowOf(top));
	}

	// rowOf returns the row of an offset in the text.
	rowOf(offset) {
		return lastBefore(this.starts.length, (i) => this.starts[i] <= offset);
	}

	row(i) {
		const start = this.starts[i];
		const end = Math.min(this.starts[i + 1] ?? this.model.text.length, start + this.columns);
		const line = this.lines.get(i);
		return element('div', { class: 'row' },
			element('span', { class: 'number', 'aria-hidden': 'true' }, line ? String(line) : ''),
			element('code', {}, ...this.marked(start, end)));
	}

	// marked returns the text from start to end as nodes.
	marked(start, end) {
		const { text, places } = this.model;
		const show = (from, to) => visible(text.slice(from, to).replace(/\r?\n$/, ''));
		const nodes = [];
		let done = start;
		// A place that ends before start may follow one that is longer; those do not overlap.
		let i = Math.max(0, lastBefore(places.length, (k) => places[k].start <= start));
		for (; i < places.length && places[i].start < end; i++) {
			const p = places[i];
			const from = Math.max(p.start, done);
			const to = Math.min(p.end, end);
			if (to < from || (p.end <= start && p.start < start)) continue;
			nodes.push(show(done, from), element('span', {
				class: `mark ${p.state}${p.index === this.active ? ' active' : ''}${p.start === p.end ? ' point' : ''}`, 'data-place': p.index,
			}, show(from, to)));
			done = to;
		}
		nodes.push(show(done, end));
		return nodes;
	}

	// highlight marks one place, and shows it where reveal says so.
	highlight(index, reveal) {
		if (index === this.active) return;
		this.active = index;
		if (reveal && index >= 0) this.list.reveal(this.rowOf(this.model.places[index].start));
		markActive(this.viewport, index);
	}
}

// lastBefore returns the last of n numbers for which a condition holds that holds for the
// first ones only; -1 where there is none.
function lastBefore(n, holds) {
	let low = -1;
	for (let high = n; high - low > 1;) {
		const middle = (low + high) >> 1;
		if (holds(middle)) low = middle;
		else high = middle;
	}
	return low;
}
