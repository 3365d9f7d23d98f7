// What a browser makes of the bytes and the characters of an encoding.

// decode returns the text of sequences of bytes of one length. For encodings with a
// state, each is decoded by itself.
function decode(label, base64, length) {
  const bytes = Uint8Array.from(atob(base64), c => c.charCodeAt(0));
  const one = () => new TextDecoder(label, {ignoreBOM: true});
  if (label !== 'euc-jp' && label !== 'iso-2022-jp') return one().decode(bytes);
  let text = '';
  for (let i = 0; i < bytes.length; i += length) text += one().decode(bytes.subarray(i, i + length));
  return text;
}

// encode returns the query of a link to each character from first to last, in the
// encoding of the document, with a comma after each.
function encode(first, last) {
  const link = document.createElement('a');
  const parts = [];
  for (let c = first; c <= last;) {
    let query = '?';
    for (const end = Math.min(c + 0xfff, last); c <= end; c++) {
      if (c < 0xd800 || c > 0xdfff) query += String.fromCodePoint(c) + ',';
    }
    link.href = query;
    parts.push(link.search.slice(1));
  }
  return parts.join('');
}

// checksum returns the first 8 bytes of the SHA-256 of a text in UTF-8, in hexadecimal.
async function checksum(text) {
  const sum = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return Array.from(sum.subarray(0, 8), b => b.toString(16).padStart(2, '0')).join('');
}
