// Reads domains from standard input, a JSON string a line, and writes for each its ASCII
// form as JSON: null for failure, and false where this node cannot know, because the
// domain has code points that are newer than its Normalization Form C. The first line is
// the version of Unicode that node has.
"use strict";
const readline = require("node:readline");
const tr46 = require("tr46");

const options = {
  checkBidi: true,
  checkHyphens: false,
  checkJoiners: true,
  ignoreInvalidPunycode: false,
  transitionalProcessing: false,
  useSTD3ASCIIRules: false,
  verifyDNSLength: false
};

const out = [process.versions.unicode];
const current = Number.parseInt(process.versions.unicode, 10) >= 17;

function toASCII(domain) {
  if (!current && /\p{Cn}/u.test(domain + tr46.toUnicode(domain, options).domain)) {
    return false;
  }
  return tr46.toASCII(domain, options);
}

readline.createInterface({ input: process.stdin })
  .on("line", line => out.push(JSON.stringify(toASCII(JSON.parse(line)))))
  .on("close", () => process.stdout.write(`${out.join("\n")}\n`));
