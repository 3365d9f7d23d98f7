// Returns the nesting of documents of random tags, as DOMParser parses them: see
// nesting_test.go.
(documents) => {
  const svg = 'http://www.w3.org/2000/svg', html = 'http://www.w3.org/1999/xhtml';

  const see = (text) => {
    const seen = { Elements: {}, SVG: [], Base: '', Frameset: false };
    const visit = (root, inTemplate) => {
      for (const el of root.querySelectorAll('*')) {
        if (el instanceof HTMLTemplateElement) visit(el.content, true);
        if (el.localName === 'frameset' && el.namespaceURI === html) seen.Frameset = true;
        const mark = el.getAttribute('href');
        if (!mark) continue;
        seen.Elements[mark] = el.localName;
        if (el.namespaceURI === svg) seen.SVG.push(mark);
        const counts = el.localName === 'base' && el.namespaceURI === html && !inTemplate;
        // Where a table has put an element before itself, tree order is not tag order.
        if (counts && (!seen.Base || Number(mark.slice(1)) < Number(seen.Base.slice(1)))) seen.Base = mark;
      }
    };
    visit(new DOMParser().parseFromString(text, 'text/html'), false);
    return seen;
  };

  return documents.map(see);
}
