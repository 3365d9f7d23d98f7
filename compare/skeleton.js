// Returns what documents consist of for a browser without scripts and for one with them:
// see structure_test.go.
async (documents) => {
  const skeleton = (root) => {
    const all = [];
    const walk = (node) => {
      for (const n of node.childNodes) {
        if (n.nodeType === Node.COMMENT_NODE) all.push('#comment');
        if (n.nodeType !== Node.ELEMENT_NODE) continue;
        all.push([n.localName, ...Array.from(n.attributes, (a) => a.name)].join(' '));
        walk(n);
        if (n.content instanceof DocumentFragment) walk(n.content);
      }
    };
    walk(root);
    return all.join('\n');
  };
  const loaded = (text) => new Promise((resolve) => {
    const frame = document.createElement('iframe');
    frame.sandbox = 'allow-same-origin allow-scripts';
    frame.srcdoc = text;
    frame.onload = () => {
      const all = skeleton(frame.contentDocument);
      frame.remove();
      resolve(all);
    };
    document.body.append(frame);
  });
  const seen = [];
  for (const text of documents) {
    seen.push([skeleton(new DOMParser().parseFromString(text, 'text/html')), await loaded(text)]);
  }
  return seen;
}
