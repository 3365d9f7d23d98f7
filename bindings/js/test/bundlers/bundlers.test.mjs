// Each bundler makes a program of the package, and the program runs: in Node, or in the
// Chromium that CHROMIUM names. TARBALL is the package. bindings/check runs the tests.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';

const { TARBALL, CHROMIUM } = process.env;
const here = import.meta.dirname;
const skip = !CHROMIUM && 'CHROMIUM is not set';
const want = '<a href=http://h/x>';
const entries = ['absolink', 'absolink/inline', 'absolink/feeds'];
const nameOf = (entry) => entry.replace('/', '-');
const inputOf = (entry) => join(dir, `${nameOf(entry)}.js`);
let dir;
let browser;

before(async () => {
	assert(TARBALL, 'TARBALL names the package');
	dir = mkdtempSync(join(tmpdir(), 'absolink-bundlers-'));
	writeFileSync(join(dir, 'package.json'), '{"private": true, "type": "module"}');
	execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', TARBALL], { cwd: dir });
	for (const entry of entries) {
		writeFileSync(join(dir, `${nameOf(entry)}.js`), `import { rewrite } from '${entry}';
const got = rewrite('<a href=x>', 'http://h/');
if (globalThis.document) document.title = got;
else console.log(got);
`);
	}
	if (!CHROMIUM) return;
	const { chromium } = createRequire(join(here, '../package.json'))('playwright-core');
	browser = await chromium.launch({ executablePath: execFileSync('sh', ['-c', `command -v ${CHROMIUM}`], { encoding: 'utf8' }).trim(), args: ['--no-sandbox'], timeout: 0 });
});

after(async () => {
	await browser?.close();
	if (dir) rmSync(dir, { recursive: true, force: true });
});

// outOf returns a new directory for what a bundler makes.
const outOf = (name) => {
	const out = join(dir, 'out', name);
	mkdirSync(out, { recursive: true });
	return out;
};

// engine returns the path of a program of the other tests.
const engine = (path) => join(here, '../node_modules', path);

// inNode runs a program, which lies alone: no package is beside it.
function inNode(out, file, [program, ...args] = ['node']) {
	const alone = mkdtempSync(join(tmpdir(), 'absolink-alone-'));
	try {
		cpSync(out, alone, { recursive: true });
		assert.equal(execFileSync(program, [...args, join(alone, file)], { cwd: tmpdir(), encoding: 'utf8', stdio: 'pipe' }).trim(), want);
	} finally {
		rmSync(alone, { recursive: true, force: true });
	}
}

// inPage runs a script in a page, with the files beside it.
async function inPage(out, file, type = 'module') {
	const types = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm' };
	const server = createServer((request, response) => {
		if (request.url === '/') return response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<!DOCTYPE html><script type=${type} src=/${file}></script>`);
		try {
			const body = readFileSync(join(out, request.url));
			response.writeHead(200, { 'Content-Type': types[extname(request.url)] ?? 'text/plain' }).end(body);
		} catch {
			response.writeHead(404).end();
		}
	});
	await new Promise((done) => server.listen(0, '127.0.0.1', done));
	const page = await browser.newPage();
	try {
		const failed = new Promise((_, reject) => page.on('pageerror', reject));
		await page.goto(`http://127.0.0.1:${server.address().port}/`, { timeout: 0 });
		await Promise.race([failed, page.waitForFunction(() => document.title !== '', null, { timeout: 0 })]);
		assert.equal(await page.title(), want);
	} finally {
		await page.close();
		server.close();
	}
}

// fileOf returns the name of the script that a bundler has made, whatever hash it has.
const fileOf = (out, below = '') => join(below, readdirSync(join(out, below)).find((name) => /\.m?js$/.test(name) && !/carried/.test(name)));

test('esbuild', { skip }, async (t) => {
	const { build } = await import('esbuild');
	const bundle = (name, options) => {
		const out = outOf(`esbuild-${name}`);
		return build({ entryPoints: [inputOf('absolink/inline')], bundle: true, outfile: join(out, 'app.js'), logLevel: 'error', ...options }).then(() => out);
	};
	await t.test('a script for browsers', async () => inPage(await bundle('iife', {}), 'app.js', 'text/javascript'));
	await t.test('a module for browsers', async () => inPage(await bundle('esm', { format: 'esm', minify: true }), 'app.js'));
	for (const entry of entries) {
		await t.test(`${entry} in Node`, async () => {
			for (const [format, file] of [['cjs', 'app.cjs'], ['esm', 'app.mjs']]) {
				const out = outOf(`esbuild-${format}`);
				await bundle('', { entryPoints: [inputOf(entry)], platform: 'node', format, outfile: join(out, file) });
				inNode(out, file);
			}
		});
	}
	await t.test('what the standard entry says in browsers', async () => {
		const out = await bundle('standard', { entryPoints: [inputOf('absolink')], format: 'esm' });
		await assert.rejects(inPage(out, 'app.js'), /import absolink\/inline/);
	});
});

test('rollup', { skip }, async (t) => {
	const { rollup } = await import('rollup');
	const { nodeResolve } = await import('@rollup/plugin-node-resolve');
	const bundle = async (name, resolve, output, entry = 'absolink/inline') => {
		const out = outOf(`rollup-${name}`);
		const made = await rollup({ input: inputOf(entry), plugins: [nodeResolve(resolve)] });
		await made.write({ file: join(out, 'app.mjs'), ...output });
		await made.close();
		return out;
	};
	await t.test('a module for browsers', async () => inPage(await bundle('browser', { browser: true }, { format: 'es' }), 'app.mjs'));
	await t.test('a script for browsers', async () => inPage(await bundle('iife', { browser: true }, { format: 'iife' }), 'app.mjs', 'text/javascript'));
	for (const entry of entries) await t.test(`${entry} in Node`, async () => inNode(await bundle(nameOf(entry), { exportConditions: ['node'] }, { format: 'es' }, entry), 'app.mjs'));
});

test('Vite', { skip }, async (t) => {
	const { build } = await import('vite');
	for (const entry of entries) {
		await t.test(`${entry} in browsers`, async () => {
			const root = outOf(`vite-${nameOf(entry)}`);
			writeFileSync(join(root, 'index.html'), `<!DOCTYPE html><script type=module src=/@fs${inputOf(entry)}></script>`);
			await build({ root, configFile: false, logLevel: 'error', build: { rollupOptions: { input: inputOf(entry) }, outDir: 'dist', chunkSizeWarningLimit: 4000 } });
			const out = join(root, 'dist');
			await inPage(out, fileOf(out, 'assets'));
		});
	}
	for (const entry of ['absolink', 'absolink/inline']) {
		await t.test(`${entry} in Node (SSR)`, async () => {
			const out = outOf(`vite-ssr-${nameOf(entry)}`);
			await build({ root: dir, configFile: false, logLevel: 'error', ssr: { noExternal: true }, build: { ssr: inputOf(entry), outDir: out, emptyOutDir: true, rollupOptions: { output: { entryFileNames: 'app.mjs' } } } });
			inNode(out, 'app.mjs');
		});
	}
});

for (const [name, module] of [['webpack', 'webpack'], ['Rspack', '@rspack/core']]) {
	test(name, { skip }, async (t) => {
		const { default: compiler, rspack = compiler } = await import(module);
		const bundle = async (entry, target) => {
			const out = outOf(`${name}-${target}-${nameOf(entry)}`);
			const options = { mode: 'production', target, entry: inputOf(entry), context: dir, output: { path: out, filename: 'app.cjs' }, performance: false, optimization: { minimize: false } };
			await new Promise((done, failed) => rspack(options, (error, stats) => (error || stats.hasErrors() ? failed(error ?? new Error(stats.toString('errors-only'))) : done())));
			return out;
		};
		for (const entry of entries) {
			await t.test(`${entry} in browsers`, async () => {
				const out = await bundle(entry, 'web');
				cpSync(join(out, 'app.cjs'), join(out, 'app.js'));
				await inPage(out, 'app.js', 'text/javascript');
			});
		}
		for (const entry of ['absolink', 'absolink/inline']) await t.test(`${entry} in Node`, async () => inNode(await bundle(entry, 'node'), 'app.cjs'));
	});
}

test('Parcel', { skip }, async (t) => {
	const bundle = async (entry, target) => {
		const out = outOf(`parcel-${nameOf(entry)}-${Object.keys(target.engines)[0]}`);
		const root = outOf(`parcel-root-${nameOf(entry)}-${Object.keys(target.engines)[0]}`);
		cpSync(inputOf(entry), join(root, 'app.js'));
		symlinkSync(join(dir, 'node_modules'), join(root, 'node_modules'));
		writeFileSync(join(root, 'package.json'), JSON.stringify({ private: true, type: 'module', '@parcel/resolver-default': { packageExports: true }, targets: { app: { distDir: out, includeNodeModules: true, optimize: false, sourceMap: false, ...target } } }));
		execFileSync('node', [join(here, 'node_modules/parcel/lib/bin.js'), 'build', 'app.js', '--no-cache', '--target', 'app', '--log-level', 'error'], { cwd: root, stdio: 'pipe', env: { ...process.env, PARCEL_WORKERS: '0' } });
		return out;
	};
	await t.test('absolink/inline in browsers', async () => {
		const out = await bundle('absolink/inline', { context: 'browser', engines: { browsers: 'last 1 Chrome version' }, outputFormat: 'esmodule' });
		await inPage(out, fileOf(out));
	});
	await t.test('absolink/inline in Node', async () => {
		const out = await bundle('absolink/inline', { context: 'node', engines: { node: '>=20' }, outputFormat: 'commonjs' });
		renameSync(join(out, fileOf(out)), join(out, 'app.cjs'));
		inNode(out, 'app.cjs');
	});
});

test('Bun', async (t) => {
	const bun = engine('@oven/bun-linux-x64/bin/bun');
	const bundle = (entry, target) => {
		const out = outOf(`bun-${target}-${nameOf(entry)}`);
		execFileSync(bun, ['build', inputOf(entry), '--target', target, '--outfile', join(out, 'app.js')], { stdio: 'pipe' });
		return out;
	};
	await t.test('absolink/inline in Bun', () => inNode(bundle('absolink/inline', 'bun'), 'app.js', [bun]));
	await t.test('absolink/inline in browsers', { skip }, () => inPage(bundle('absolink/inline', 'browser'), 'app.js'));
	await t.test('absolink/inline in Node', () => inNode(bundle('absolink/inline', 'node'), 'app.js'));
	await t.test('what the standard entry says', () => assert.throws(() => inNode(bundle('absolink', 'bun'), 'app.js', [bun]), /import absolink\/inline/));
	await t.test('absolink/inline, --compile', () => {
		const out = outOf('bun-compile');
		execFileSync(bun, ['build', inputOf('absolink/inline'), '--compile', '--outfile', join(out, 'app')], { stdio: 'pipe' });
		assert.equal(execFileSync(join(out, 'app'), { encoding: 'utf8', cwd: tmpdir() }).trim(), want);
	});
});

test('deno bundle', async (t) => {
	const deno = engine('@deno/linux-x64-glibc/deno');
	const bundle = (entry, platform) => {
		const out = outOf(`deno-${platform}-${nameOf(entry)}`);
		const env = { ...process.env, DENO_DIR: join(dir, 'deno'), DENO_NO_UPDATE_CHECK: '1' };
		execFileSync(deno, ['bundle', '--node-modules-dir=manual', '--platform', platform, '--output', join(out, 'app.js'), inputOf(entry)], { cwd: dir, stdio: 'pipe', env });
		return out;
	};
	await t.test('absolink/inline in Deno', () => inNode(bundle('absolink/inline', 'deno'), 'app.js', [deno, 'run']));
	await t.test('absolink/inline in browsers', { skip }, () => inPage(bundle('absolink/inline', 'browser'), 'app.js'));
	await t.test('what the standard entry says', () => assert.throws(() => inNode(bundle('absolink', 'deno'), 'app.js', [deno, 'run', '--allow-read']), /import absolink\/inline/));
});
