// The declarations of the package, as compilers and the programs that check packages see
// them. TARBALL is the package. bindings/check runs the tests.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

const { TARBALL } = process.env;
const here = import.meta.dirname;
const tool = (path) => join(here, 'node_modules', path);
let dir;

before(() => {
	assert(TARBALL, 'TARBALL names the package');
	dir = mkdtempSync(join(tmpdir(), 'absolink-types-'));
	writeFileSync(join(dir, 'package.json'), '{"private": true, "type": "module"}');
	execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', TARBALL], { cwd: dir });
	for (const name of ['@types', 'undici-types']) symlinkSync(tool(name), join(dir, 'node_modules', name));
	cpSync(join(here, 'use.mts'), join(dir, 'use.mts'));
});

after(() => dir && rmSync(dir, { recursive: true, force: true }));

function says(program, args) {
	const { status, stdout, stderr } = spawnSync('node', [program, ...args], { cwd: dir, encoding: 'utf8' });
	assert.equal(status, 0, stdout + stderr);
}

for (const [name, compiler] of [['TypeScript 6', 'typescript-6/bin/tsc'], ['TypeScript 7', 'typescript/bin/tsc']]) {
	test(name, async (t) => {
		const settings = { browsers: ['--lib', 'es2022,dom,dom.iterable', '--module', 'esnext', '--moduleResolution', 'bundler'], Node: ['--lib', 'es2024', '--types', 'node', '--module', 'nodenext'] };
		for (const [platform, args] of Object.entries(settings)) {
			await t.test(platform, () => says(tool(compiler), ['--noEmit', '--strict', '--target', 'es2022', ...args, 'use.mts']));
		}
	});
}

// Programs with the types of Node get a Buffer of a Buffer, also where they are CommonJS.
for (const name of ['buffer.mts', 'buffer.cts']) {
	test(name, () => {
		writeFileSync(join(dir, name), `import { rewrite, Rewriter, rewriteFeed } from 'absolink';
const page = Buffer.from('x');
const all: Buffer[] = [rewrite(page), rewriteFeed(page), new Rewriter().rewrite(page)];
const text: string = rewrite('x') + rewriteFeed('x');
const bytes: Uint8Array<ArrayBuffer> = rewrite(new Uint8Array(1));
console.log(all, text, bytes);
`);
		says(tool('typescript/bin/tsc'), ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2024', '--types', 'node', '--module', 'nodenext', name]);
	});
}

test('publint', () => says(tool('publint/src/cli.js'), ['--strict', join(dir, 'node_modules/absolink')]));

test('attw', () => says(tool('@arethetypeswrong/cli/dist/index.js'), [TARBALL, '--profile', 'node16', '--ignore-rules', 'cjs-resolves-to-esm', '--no-emoji']));
