import { element } from './dom.js';

// Browsers draw no element that is much taller.
const tallest = 10_000_000;

// A VirtualList shows many rows of one height, and has only those in the document that can
// be seen.
export class VirtualList {
	// viewport scrolls; its custom property --row is the height of a row in px. render
	// returns the element of a row. header, where there is one, stays on top.
	constructor(viewport, render, header = null) {
		this.viewport = viewport;
		this.render = render;
		this.count = 0;
		this.rows = element('div', { class: 'rows', role: 'presentation' });
		this.space = element('div', { class: 'space', role: 'presentation' }, this.rows);
		viewport.replaceChildren(...(header ? [header] : []), this.space);
		viewport.addEventListener('scroll', () => this.soon(), { passive: true });
		new ResizeObserver(() => this.refresh()).observe(viewport);
	}

	// show shows rows anew: from the first on, or where they are scrolled to.
	show(count, stay = false) {
		this.count = count;
		if (!stay) this.viewport.scrollTop = 0;
		this.refresh();
	}

	refresh() {
		this.height = parseFloat(getComputedStyle(this.viewport).getPropertyValue('--row'));
		this.space.style.height = `${Math.min(this.count * this.height, tallest)}px`;
		this.draw();
	}

	soon() {
		this.frame ??= requestAnimationFrame(() => {
			this.frame = undefined;
			this.draw();
		});
	}

	// scale says how many px of rows there are for each px of scrolling.
	scale() {
		const seen = this.viewport.clientHeight;
		const all = this.count * this.height;
		return all <= tallest ? 1 : (all - seen) / (tallest - seen);
	}

	// top is the first row that is seen.
	get top() {
		return Math.floor((this.viewport.scrollTop * this.scale()) / this.height);
	}

	set top(i) {
		this.viewport.scrollTop = (i * this.height) / this.scale();
		this.draw();
	}

	draw() {
		const top = this.viewport.scrollTop;
		const offset = top * this.scale();
		const seen = Math.ceil(this.viewport.clientHeight / this.height);
		const first = Math.max(0, Math.floor(offset / this.height) - 3);
		const last = Math.min(this.count, first + seen + 6);
		const rows = [];
		for (let i = first; i < last; i++) rows.push(this.render(i));
		this.rows.style.transform = `translateY(${top - (offset - first * this.height)}px)`;
		this.rows.replaceChildren(...rows);
	}

	// reveal scrolls to a row, unless it can be seen.
	reveal(i) {
		const scale = this.scale();
		const first = this.viewport.scrollTop * scale;
		const header = this.space.offsetTop;
		const seen = this.viewport.clientHeight - header - this.height;
		const at = i * this.height;
		if (at >= first && at <= first + seen) return;
		this.viewport.scrollTop = (at < first && first - at < 2 * this.height ? at : at > first + seen && at - first - seen < 2 * this.height ? at - seen : at - seen / 2) / scale;
		this.draw();
	}
}
