// Returns the nesting of documents, as DOMParser parses them: see nesting_test.go.
(documents) => {
  const svg = 'http://www.w3.org/2000/svg', html = 'http://www.w3.org/1999/xhtml';

  // DOMParser parses without scripts, but the content of noscript is text with scripts. So
  // a document with noscript is parsed as the content of html in a frame, which has
  // scripts. Whether the document is in quirks mode is the same in that frame.
  const frames = {};
  for (const [mode, start] of [['BackCompat', ''], ['CSS1Compat', '<!doctype html>']]) {
    const frame = document.documentElement.appendChild(document.createElement('iframe'));
    frame.contentDocument.write(start + '<p>');
    frame.contentDocument.close();
    if (frame.contentDocument.compatMode !== mode) throw new Error('the frame is not ' + mode);
    frames[mode] = frame;
  }
  const parse = (text, scripts) => {
    const doc = new DOMParser().parseFromString(text, 'text/html');
    if (!scripts) return doc;
    const root = frames[doc.compatMode].contentDocument.createElement('html');
    root.innerHTML = text;
    return root;
  };

  // To a browser without scripts, the content of noscript is a fragment of a body.
  const inert = document.implementation.createHTMLDocument('').body;
  const cut = '<!--cut-->';

  // absolink does not read two kinds of style sheets: those that the end of noscript cuts
  // off, and in SVG those in another one.
  const isSheet = (el) => {
    const isStyle = (el, ns) => el.localName === 'style' && el.namespaceURI === ns;
    if (el.innerHTML.includes(cut)) return false;
    if (!isStyle(el, svg)) return isStyle(el, html);
    for (let p = el.parentElement; p; p = p.parentElement) {
      if (isStyle(p, svg)) return false;
    }
    return true;
  };

  const see = (text) => {
    const seen = { Elements: {}, Text: [], SVG: [], Sheets: [], Base: '', Frameset: false };
    const visit = (root, scripts, baseCounts) => {
      for (const el of root.querySelectorAll('*')) {
        const inHTML = el.namespaceURI === html;
        if (el.localName === 'template' && inHTML) visit(el.content, scripts, false);
        if (el.localName === 'frameset' && inHTML) seen.Frameset = true;
        const isNoscript = el.localName === 'noscript' && inHTML && scripts;
        if (isNoscript) {
          inert.innerHTML = el.textContent + cut;
          visit(inert, false, false);
        }
        for (const node of el.childNodes) {
          if (isNoscript || node.nodeType === Node.ELEMENT_NODE) continue;
          for (const [, mark] of node.data.matchAll(/href="(r\d+)"/g)) seen.Text.push(mark);
          if (node.nodeType === Node.COMMENT_NODE || !isSheet(el)) continue;
          for (const [, mark] of node.data.matchAll(/@import "(s\d+)"/g)) seen.Sheets.push(mark);
        }
        const mark = el.getAttribute('href');
        if (!mark) continue;
        seen.Elements[mark] = el.localName.toLowerCase();
        if (el.namespaceURI === svg) seen.SVG.push(mark);
        const isBase = el.localName === 'base' && inHTML && baseCounts;
        // Where a table has put an element before itself, tree order is not tag order.
        if (isBase && (!seen.Base || Number(mark.slice(1)) < Number(seen.Base.slice(1)))) seen.Base = mark;
      }
    };
    const scripts = /<noscript/i.test(text);
    visit(parse(text, scripts), scripts, true);
    return seen;
  };

  const all = documents.map(see);
  for (const frame of Object.values(frames)) frame.remove();
  return all;
}
