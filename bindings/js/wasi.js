// An Exit is thrown when the module ends itself, as it does after a panic.
class Exit extends Error {}

// wasi returns the part of WASI that Go's runtime needs: a clock, random numbers, and
// somewhere to say why it panics: says is told the bytes. There are no files, arguments or variables.
export function wasi(module, memory, says) {
	const view = () => new DataView(memory());
	const known = {
		clock_time_get: (id, precision, at) => {
			view().setBigUint64(at >>> 0, BigInt(Math.round((id === 0 ? Date.now() : performance.now()) * 1e6)), true);
			return 0;
		},
		random_get: (at, n) => {
			for (let i = 0; i < n; i += 65536) crypto.getRandomValues(new Uint8Array(memory(), (at >>> 0) + i, Math.min(65536, n - i)));
			return 0;
		},
		fd_write: (fd, at, n, written) => {
			const v = view();
			let sum = 0;
			for (let i = 0; i < n; i++) {
				const length = v.getUint32((at >>> 0) + 8 * i + 4, true);
				says(new Uint8Array(memory(), v.getUint32((at >>> 0) + 8 * i, true), length));
				sum += length;
			}
			v.setUint32(written >>> 0, sum, true);
			return 0;
		},
		args_sizes_get: (count, size) => zero(view(), count, size),
		environ_sizes_get: (count, size) => zero(view(), count, size),
		args_get: () => 0,
		environ_get: () => 0,
		sched_yield: () => 0,
		poll_oneoff: (subscriptions, events, n, count) => {
			view().setUint32(count >>> 0, n, true);
			return 0;
		},
		fd_fdstat_get: (fd, at) => {
			new Uint8Array(memory(), at >>> 0, 24).fill(0);
			return 0;
		},
		proc_exit: () => { throw new Exit(); },
	};
	const badFile = () => 8; // EBADF
	return Object.fromEntries(WebAssembly.Module.imports(module).filter((i) => i.module === 'wasi_snapshot_preview1').map((i) => [i.name, known[i.name] ?? badFile]));
}

function zero(view, ...at) {
	for (const a of at) view.setUint32(a >>> 0, 0, true);
	return 0;
}
