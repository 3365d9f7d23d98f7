#!/usr/bin/env node
// The command of the package: npx absolink --url URL [FILE…].
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Rewriter } from './node.js';

const help = `Usage: absolink --url URL [options] [FILE…]

Makes the links in HTML documents absolute. Without a FILE, standard input is read.
Output goes to standard output. To replace files, use the command in Go, which has -w.

  -u, --url URL          the URL that the documents were retrieved from
      --profile NAME     whatwg (the default), rfc1808 or rfc3986
      --rules LIST       groups of places and rules, with commas between them
      --keep-fragments   leave links such as #top as they are
      --keep PATTERN     leave links that match the pattern unchanged, such as '{{*'
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
			keep: { type: 'string', multiple: true },
			help: { type: 'boolean', short: 'h' },
		},
	});
	if (values.help) {
		process.stdout.write(help);
		return 0;
	}
	if (values['in-place']) throw new TypeError('the npm package has no -w; the command absolink has it (pip install absolink-cli)');
	let name = ''; // of the document that is rewritten
	let warnings = 0;
	const say = (message) => process.stderr.write(`absolink: ${name}: ${message}\n`);
	const warn = ({ offset, message }) => {
		if (++warnings <= 10) say(`byte ${offset}: ${message}`);
	};
	const rewriter = new Rewriter({ profile: values.profile, rules: values.rules?.split(','), keepFragments: values['keep-fragments'], keep: values.keep, warn });
	rewriter.rewrite('', values.url); // reports a wrong URL before anything is written
	let code = 0;
	for (const file of files.length > 0 ? files : [0]) {
		[name, warnings] = [file === 0 ? '<stdin>' : file, 0];
		try {
			writeFileSync(1, rewriter.rewrite(readFileSync(file), values.url));
		} catch (error) {
			say(error.message);
			code = 1;
		}
		if (warnings > 10) say(`${warnings - 10} more warnings`);
	}
	return code;
}

try {
	process.exitCode = main();
} catch (error) {
	process.stderr.write(`absolink: ${error.message} (absolink --help shows the usage)\n`);
	process.exitCode = 2;
}
