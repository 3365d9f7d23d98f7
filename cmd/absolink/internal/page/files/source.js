import { count, element, markActive, onPoint, placeAt, splits, visible } from './dom.js';
import { VirtualList } from './list.js';

// A SourceView shows a source in rows as wide as there is room, with its places marked.
export class SourceView {
	constructor(viewport, { hover, open }) {
		this.viewport = viewport;
		this.active = -1;
		this.model = { text: '', places: [] };
		this.starts = [0];
		this.list = new VirtualList(viewport, (i) => this.row(i));
		this.probe = element('span', {}, '0'.repeat(100));
		viewport.append(element('span', { class: 'probe', 'aria-hidden': 'true' }, this.probe));
		new ResizeObserver(() => this.room() !== this.columns && this.wrap(this.top())).observe(viewport);
		onPoint(viewport, hover);
		viewport.addEventListener('click', (event) => placeAt(event) >= 0 && open(placeAt(event)));
	}

	// show shows a model: from its start, or from where the one before was scrolled to.
	show(model, stay) {
		const top = stay ? this.top() : 0;
		this.model = model;
		this.active = -1;
		this.wrap(top);
	}

	// top returns the offset of the first row that is seen.
	top() {
		return this.starts[this.list.top] ?? 0;
	}

	// room returns how many characters a row has room for.
	room() {
		const gutter = 64;
		const width = this.probe.getBoundingClientRect().width / 100 || 8;
		return Math.max(20, Math.floor((this.viewport.clientWidth - gutter) / width));
	}

	// wrap makes rows as wide as there is room, and shows them from the offset top on.
	wrap(top) {
		const { text } = this.model;
		this.columns = this.room();
		this.starts = [];
		this.numbers = []; // of the line that a row begins; 0 where it begins none
		this.blanks = new Map(); // how many blank lines a row stands for, where that is more than one
		for (let start = 0, line = 1; start < text.length || line === 1; line++) {
			const blank = blankAt(text, start);
			if (blank.lines > 1) {
				this.blanks.set(this.starts.length, blank.lines);
				this.starts.push(start);
				this.numbers.push(line);
				line += blank.lines - 1;
				start = blank.end;
				continue;
			}
			let end = text.indexOf('\n', start);
			if (end < 0) end = text.length;
			for (let number = line; number > 0 || start < end; number = 0) {
				this.starts.push(start);
				this.numbers.push(number);
				start = breakAt(text, start, end, this.columns);
			}
			start = end + 1;
		}
		this.list.show(this.starts.length, true);
		this.list.top = this.rowOf(top);
	}

	// rowOf returns the row of an offset in the text.
	rowOf(offset) {
		return lastBefore(this.starts.length, (i) => this.starts[i] <= offset);
	}

	row(i) {
		const start = this.starts[i];
		const end = Math.min(this.starts[i + 1] ?? this.model.text.length, start + this.columns);
		const line = this.numbers[i];
		const blanks = this.blanks.get(i);
		if (blanks) {
			return element('div', { class: 'row' },
				element('span', { class: 'number', 'aria-hidden': 'true' }, String(line)),
				element('code', { class: 'blanks' }, `⋮ ${count(blanks, 'blank line')}`));
		}
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

// breakAt returns where the row ends that begins at start, in a line that ends at end: after a
// space or, where there is none in its second half, after a mark of a URL or of HTML.
function breakAt(text, start, end, columns) {
	if (start + columns >= end) return start + columns;
	const half = start + Math.floor(columns / 2);
	for (const marks of [/[ \t]/, /[/?&;,=>"')-]/]) {
		for (let i = start + columns - 1; i >= half; i--) {
			if (marks.test(text[i])) return i + 1;
		}
	}
	return splits(text, start + columns) ? start + columns - 1 : start + columns;
}

// blankAt returns how many lines from start on have nothing but white space and an end, and
// the end of the last.
function blankAt(text, start) {
	const blank = /[ \t\f\r]*\n/y;
	let lines = 0;
	let end = start;
	for (blank.lastIndex = start; blank.test(text); end = blank.lastIndex) lines++;
	return { lines, end };
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
