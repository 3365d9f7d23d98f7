// The blocks of docs/javascript.md print what the page says.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

test('docs/javascript.md', (t) => {
	const page = readFileSync(new URL('../../../docs/javascript.md', import.meta.url), 'utf8');
	const dir = mkdtempSync(join(tmpdir(), 'absolink-docs-'));
	t.after(() => rmSync(dir, { recursive: true, force: true }));
	writeFileSync(join(dir, 'package.json'), '{"private": true, "type": "module"}');
	writeFileSync(join(dir, 'page.html'), '<img src="a.png">');
	execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', process.env.TARBALL], { cwd: dir });
	let n = 0;
	for (const [, code, want] of page.matchAll(/```js\n([^`]*(?:`[^`]+`[^`]*)*?)```\n\n<!--[^>]*-->\n```text\n([^]*?)```/g)) {
		writeFileSync(join(dir, 'block.mjs'), code);
		assert.equal(execFileSync('node', ['block.mjs'], { cwd: dir, encoding: 'utf8' }).trimEnd(), want.trimEnd());
		n++;
	}
	assert.equal(n, page.match(/```text\n/g).length);
});
