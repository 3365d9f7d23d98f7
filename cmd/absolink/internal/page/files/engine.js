import { byId } from './dom.js';

// An Engine is a worker of absolink.html, which answers requests as a server does.
export class Engine {
	constructor() {
		this.asked = new Map(); // what waits for an answer, by number
		this.last = 0;
		this.worker = null;
	}

	start() {
		this.worker = new Worker(URL.createObjectURL(new Blob([byId('worker').textContent], { type: 'text/javascript' })));
		this.worker.addEventListener('message', ({ data }) => {
			const { resolve, reject } = this.asked.get(data.number);
			this.asked.delete(data.number);
			if (data.error) reject(new Error(data.error));
			else resolve(new Response(data.body, { status: data.status, headers: data.header }));
		});
		this.worker.addEventListener('error', (event) => this.stop(new Error(`The worker of this page has ended: ${event.message}`)));
		this.worker.postMessage({ packed: byId('module').textContent });
	}

	// stop ends the worker, and all that waits for an answer. The next request starts another. When
	// a request was aborted, others that have no bodies are asked again.
	stop(reason) {
		this.worker?.terminate();
		this.worker = null;
		const asked = [...this.asked.values()];
		this.asked.clear();
		for (const { target, bare, resolve, reject } of asked) {
			if (bare && reason.name === 'AbortError') this.ask(target, []).then(resolve, reject);
			else reject(reason);
		}
	}

	// ask returns a promise of the answer to a request with bodies, which it takes away. In WebKit
	// a worker of a file cannot read a Blob, so that bodies are buffers. When its signal aborts, the
	// worker ends: nothing else stops what it works on.
	ask(target, bodies, signal) {
		return new Promise((resolve, reject) => {
			if (!this.worker) this.start();
			const number = ++this.last;
			this.asked.set(number, { target, bare: bodies.length === 0, resolve, reject });
			this.worker.postMessage({ number, target, bodies }, bodies);
			signal?.addEventListener('abort', () => this.asked.has(number) && this.stop(signal.reason));
		});
	}
}
