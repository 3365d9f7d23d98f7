// A site of Next, by both builders: pages on the server and in the Chromium that CHROMIUM
// names. TARBALL is the package. NEXT=1 bindings/check runs the tests.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

const { TARBALL, CHROMIUM } = process.env;
const here = import.meta.dirname;
const entries = { standard: 'absolink', inline: 'absolink/inline' };
const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' };
let dir;

before(() => {
	assert(TARBALL, 'TARBALL names the package');
	dir = mkdtempSync(join(here, 'site-')); // below Next, which Turbopack finds nowhere else
	mkdirSync(join(dir, 'node_modules/absolink'), { recursive: true });
	execFileSync('tar', ['-xzf', TARBALL, '-C', join(dir, 'node_modules/absolink'), '--strip-components', '1']);
	writeFileSync(join(dir, 'package.json'), '{"private": true, "type": "module"}');
	writeFileSync(join(dir, 'next.config.js'), `export default ${JSON.stringify({ outputFileTracingRoot: here, turbopack: { root: here } })};\n`);
	mkdirSync(join(dir, 'app'));
	writeFileSync(join(dir, 'app/layout.js'), 'export default function Layout({ children }) { return <html><body>{children}</body></html>; }\n');
	for (const [name, entry] of Object.entries(entries)) {
		mkdirSync(join(dir, 'app', name));
		writeFileSync(join(dir, 'app', name, 'page.js'), `import { rewrite } from '${entry}';
import Client from './client';
export default function Page() {
	return <><p id="server">{rewrite('<a href=x>', 'http://h/')}</p><Client /></>;
}
`);
		writeFileSync(join(dir, 'app', name, 'client.js'), `'use client';
import { useEffect, useState } from 'react';
import { rewrite } from '${entry}';
export default function Client() {
	const [text, set] = useState('');
	useEffect(() => set(rewrite('<a href=y>', 'http://h/')), []);
	return <p id="client">{text}</p>;
}
`);
	}
});

after(() => dir && rmSync(dir, { recursive: true, force: true }));

for (const builder of ['turbopack', 'webpack']) {
	test(builder, { skip: !CHROMIUM && 'CHROMIUM is not set' }, async (t) => {
		const next = join(here, 'node_modules/next/dist/bin/next');
		rmSync(join(dir, '.next'), { recursive: true, force: true });
		execFileSync('node', [next, 'build', `--${builder}`], { cwd: dir, env, stdio: 'pipe' });
		const server = spawn('node', [next, 'start', '--port', '0', '--hostname', '127.0.0.1'], { cwd: dir, env, stdio: ['ignore', 'pipe', 'inherit'] });
		t.after(() => server.kill());
		const origin = await new Promise((found, failed) => {
			let said = '';
			server.stdout.on('data', (data) => {
				said += data;
				const listening = /http:\/\/127\.0\.0\.1:\d+/.exec(said);
				if (listening && said.includes('Ready')) found(listening[0]);
			});
			server.on('exit', () => failed(new Error(said)));
		});
		const { chromium } = createRequire(join(here, '../package.json'))('playwright-core');
		const browser = await chromium.launch({ executablePath: execFileSync('sh', ['-c', `command -v ${CHROMIUM}`], { encoding: 'utf8' }).trim(), args: ['--no-sandbox'], timeout: 0 });
		t.after(() => browser.close());
		for (const name of Object.keys(entries)) {
			const page = await browser.newPage();
			const failed = new Promise((_, reject) => page.on('pageerror', reject));
			await page.goto(`${origin}/${name}`, { timeout: 0 });
			assert.equal(await page.textContent('#server'), '<a href=http://h/x>');
			await Promise.race([failed, page.waitForFunction(() => document.querySelector('#client')?.textContent, null, { timeout: 0 })]);
			assert.equal(await page.textContent('#client'), '<a href=http://h/y>');
		}
	});
}
