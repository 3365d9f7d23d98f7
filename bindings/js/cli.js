#!/usr/bin/env node
// The command of the package: npx absolink --url URL [FILE…].
import { randomBytes } from 'node:crypto';
import { closeSync, fchmodSync, fchownSync, fstatSync, lstatSync, openSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { Rewriter } from './node.js';

const help = `Usage: absolink --url URL [options] [FILE…]

Makes the links in HTML documents absolute. Without a FILE, standard input is read.

  -u, --url URL          the URL that the documents were retrieved from
  -w, --in-place         rewrite the FILEs themselves, each atomically
      --profile NAME     whatwg (the default), rfc1808 or rfc3986
      --rules LIST       groups of places and rules, with commas between them
      --keep-fragments   leave links such as #top as they are
`;

function main() {
	const { values, positionals: files } = parseArgs({
		allowPositionals: true,
		options: {
			url: { type: 'string', short: 'u' },
			'in-place': { type: 'boolean', short: 'w' },
			profile: { type: 'string' },
			rules: { type: 'string' },
			'keep-fragments': { type: 'boolean' },
			help: { type: 'boolean', short: 'h' },
		},
	});
	if (values.help) {
		process.stdout.write(help);
		return 0;
	}
	if (values['in-place'] && files.length === 0) throw new TypeError('-w needs a FILE');
	let name = ''; // of the document that is rewritten
	let warnings = 0;
	const say = (message) => process.stderr.write(`absolink: ${name}: ${message}\n`);
	const warn = ({ offset, message }) => {
		if (++warnings <= 10) say(`byte ${offset}: ${message}`);
	};
	const rewriter = new Rewriter({ profile: values.profile, rules: values.rules?.split(','), keepFragments: values['keep-fragments'], warn });
	rewriter.rewrite('', values.url); // reports a wrong URL before anything is written
	let code = 0;
	for (const file of files.length > 0 ? files : [0]) {
		[name, warnings] = [file === 0 ? '<stdin>' : file, 0];
		try {
			const rewrite = (document) => rewriter.rewrite(document, values.url);
			if (values['in-place']) rewriteInPlace(file, rewrite);
			else writeFileSync(1, rewrite(readFileSync(file)));
		} catch (error) {
			say(error.message);
			code = 1;
		}
		if (warnings > 10) say(`${warnings - 10} more warnings`);
	}
	return code;
}

// rewriteInPlace replaces a file by a new file beside it. What is read, and the mode and the
// owner of the new file, are of one open file, whatever has its name meanwhile.
function rewriteInPlace(name, rewrite) {
	const path = realpathSync(name);
	const [was, before] = opened(openSync(path, 'r'), (file) => [fstatSync(file, { bigint: true }), readFileSync(file)]);
	const after = rewrite(before);
	if (before.equals(after)) return;
	const fresh = join(dirname(path), `.absolink-${randomBytes(16).toString('hex')}`);
	const file = openSync(fresh, 'wx', 0o600);
	try {
		opened(file, () => {
			writeFileSync(file, after);
			const made = fstatSync(file, { bigint: true });
			if (made.uid !== was.uid || made.gid !== was.gid) fchownSync(file, Number(was.uid), Number(was.gid));
			fchmodSync(file, Number(was.mode & 0o7777n));
		});
		const now = lstatSync(path, { bigint: true });
		if (['dev', 'ino', 'mode', 'uid', 'gid', 'size', 'mtimeNs'].some((key) => now[key] !== was[key])) {
			throw new Error('it changed while it was read; run again');
		}
		renameSync(fresh, path);
	} catch (error) {
		rmSync(fresh, { force: true });
		throw error;
	}
}

// opened returns what use returns of an open file, and closes the file.
function opened(file, use) {
	try {
		return use(file);
	} finally {
		closeSync(file);
	}
}

try {
	process.exitCode = main();
} catch (error) {
	process.stderr.write(`absolink: ${error.message} (absolink --help shows the usage)\n`);
	process.exitCode = 2;
}
