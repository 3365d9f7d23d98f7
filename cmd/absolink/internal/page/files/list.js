import { element } from './dom.js';

// Browsers draw no element that is much taller.
const tallest = 10_000_000;

// A VirtualList shows many rows of one height, and has only those in the document that can
// be seen. They scroll in their viewport, or with the page where that does not scroll.
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
		addEventListener('scroll', () => this.inPage && this.soon(), { passive: true });
		new ResizeObserver(() => this.refresh()).observe(viewport);
	}

	// show shows rows anew: from the first on, or where they are scrolled to.
	show(count, stay = false) {
		this.count = count;
		if (!stay && !this.inPage) this.viewport.scrollTop = 0;
		this.refresh();
	}

	// scrolled is how many px of the rows are above what is seen.
	get scrolled() {
		if (!this.inPage) return this.viewport.scrollTop;
		return Math.min(Math.max(0, -this.space.getBoundingClientRect().top), Math.max(0, this.space.offsetHeight - innerHeight));
	}

	set scrolled(px) {
		if (this.inPage) scrollBy(0, px + this.space.getBoundingClientRect().top);
		else this.viewport.scrollTop = px;
	}

	// seen is the height of what is seen.
	get seen() {
		return this.inPage ? innerHeight : this.viewport.clientHeight;
	}

	refresh() {
		this.inPage = getComputedStyle(this.viewport).overflowY === 'clip';
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
		const { seen } = this;
		const all = this.count * this.height;
		return all <= tallest ? 1 : (all - seen) / (tallest - seen);
	}

	// top is the first row that is seen.
	get top() {
		return Math.floor((this.scrolled * this.scale()) / this.height);
	}

	set top(i) {
		if (i > 0 || !this.inPage) this.scrolled = (i * this.height) / this.scale();
		this.draw();
	}

	draw() {
		const top = this.scrolled;
		const offset = top * this.scale();
		const seen = Math.ceil(this.seen / this.height);
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
		const first = this.scrolled * scale;
		const header = this.inPage ? 0 : this.space.offsetTop;
		const seen = this.seen - header - this.height;
		const at = i * this.height;
		if (at >= first && at <= first + seen) return;
		this.scrolled = (at < first && first - at < 2 * this.height ? at : at > first + seen && at - first - seen < 2 * this.height ? at - seen : at - seen / 2) / scale;
		this.draw();
	}
}
