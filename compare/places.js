// Returns the URLs in the attributes of this document, in document order, and what the
// browser resolves each to.
(() => {
  // Attributes, and the properties of elements that return the resolved URL.
  const properties = {
    action: 'action', cite: 'cite', data: 'data', formaction: 'formAction', href: 'href', imagesrcset: 'imageSrcset',
    longdesc: 'longDesc', poster: 'poster', src: 'src', srcset: 'srcset', 'xlink:href': '',
  };
  const onEveryElement = ['href', 'src', 'xlink:href'];
  const smil = ['animate', 'animateMotion', 'animateTransform', 'discard', 'set'];

  // HTML Standard, "parse a srcset attribute": the URL of a candidate ends at white
  // space, where descriptors follow, or at commas before white space.
  const candidate =
    /[\t\n\f\r ,]*([^\t\n\f\r ,][^\t\n\f\r ]*?)(?:,+(?![^\t\n\f\r ])|(?![^\t\n\f\r ])(?:\([^)]*\)?|[^,(])*)/gy;

  const anchor = document.createElement('a');
  const resolve = (ref) => {
    anchor.setAttribute('href', ref);
    return anchor.href;
  };

  const isAbsolute = (ref) =>
    URL.canParse(ref) && URL.parse(ref).href === URL.parse(ref, document.baseURI)?.href;

  // Whether a reference names an element of its own document, whatever the base.
  const isLocal = (el, attr, ref) => {
    const svg = el.namespaceURI === 'http://www.w3.org/2000/svg';
    const expects = el instanceof HTMLLinkElement && el.relList.contains('expect');
    return svg && smil.includes(el.localName) || /^[\0- ]*#/.test(ref) && (svg || expects || attr === 'xlink:href');
  };

  const places = [];
  const add = (el, attr, written, resolved) => {
    const absolute = isAbsolute(written), local = isLocal(el, attr, written);
    places.push({ element: el.localName, attr, written, resolved, absolute, local });
  };

  const addAttribute = (el, { name, value }) => {
    if (!Object.hasOwn(properties, name)) return;
    // The content of a template is resolved in the document that it is put into. A
    // control may hide a property of its form, but not the property of the prototype.
    const live = el.ownerDocument === document ? el : document.importNode(el);
    const property = Reflect.get(Object.getPrototypeOf(el), properties[name], live);
    const resolves = typeof property === 'string';
    if (resolves && name.endsWith('srcset')) {
      for (const [, ref] of value.matchAll(candidate)) add(el, name, ref, resolve(ref));
    } else if (resolves || onEveryElement.includes(name)) {
      add(el, name, value, resolves ? property : resolve(value));
    }
  };

  const visit = (root) => {
    for (const el of root.querySelectorAll('*')) {
      for (const attribute of el.attributes) addAttribute(el, attribute);
      if (el instanceof HTMLTemplateElement) visit(el.content);
    }
  };
  visit(document);

  // currentSrc of an image that is not loaded is the URL as it is written.
  const chosen = [...document.images].filter((img) => img.srcset).map((img) => img.currentSrc).filter(Boolean);
  return { places, chosen };
})()
