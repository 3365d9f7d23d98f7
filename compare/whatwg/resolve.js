// Reads pairs of a reference and a base from standard input, a JSON array a line, and
// writes for each its absolute form as JSON: null for failure, and false where this node
// cannot know, because the host has code points that are newer than its Normalization
// Form C. The first line is the version of Unicode that node has.
"use strict";
const readline = require("node:readline");
const { basicURLParse, serializeURL, percentDecodeString } = require("whatwg-url");
const tr46 = require("tr46");

const current = Number.parseInt(process.versions.unicode, 10) >= 17;

function isNew(text) {
  const decoded = new TextDecoder().decode(percentDecodeString(text));
  return /\p{Cn}/u.test(decoded + tr46.toUnicode(decoded).domain);
}

function resolve([reference, base]) {
  if (!current && isNew(reference + base)) return false;
  const baseURL = basicURLParse(base);
  const url = baseURL && basicURLParse(reference, { baseURL });
  return url && serializeURL(url);
}

const out = [process.versions.unicode];
readline.createInterface({ input: process.stdin })
  .on("line", line => out.push(JSON.stringify(resolve(JSON.parse(line)))))
  .on("close", () => process.stdout.write(`${out.join("\n")}\n`));
