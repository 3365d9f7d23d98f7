//! Makes the URLs of pages absolute with lol-html, and says how long that took.
//!
//! lol-html is a streaming rewriter of HTML: it calls handlers for the elements that CSS
//! selectors choose, and copies everything else. Finding the attributes and resolving the
//! URLs is the work of its user, which this program does as fast as its author knew how.
//!
//! The argument is a file with a line for each page: a path, a tab and the page's URL.
//! The program reads all pages, and then obeys lines on its standard input:
//!
//! - `WAY PASSES`, such as `names/url 5`: rewrites all pages so many times, and answers
//!   with the seconds that this took;
//! - `counts WAY`: answers with the number of references that it rewrites in each page.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell};
use std::error::Error;
use std::hint::black_box;
use std::io::{BufRead, Write};
use std::time::Instant;
use std::{env, fs, io};

use lol_html::html_content::Element;
use lol_html::{ElementContentHandlers, HandlerResult, HtmlRewriter, Selector, Settings};

/// An attribute that holds a URL, or several.
struct Place {
    attr: &'static str,
    /// The elements on which a browser reads it. `names` asks for these.
    elements: &'static [&'static str],
    /// The attribute counts on every element, as it does for absolink.
    everywhere: bool,
    empty: Empty,
}

/// What an empty value means.
enum Empty {
    /// Nothing: it stays empty.
    Stays,
    /// The base URL.
    Base,
    /// The base URL on `a` and `area`. Elsewhere it stays empty.
    BaseOfLink,
    /// The URL of the page.
    Document,
}

const CELLS: &[&str] = &["body", "table", "thead", "tbody", "tfoot", "tr", "td", "th"];
const SOURCES: &[&str] = &[
    "audio", "embed", "frame", "iframe", "img", "input", "script", "source", "track", "video",
];

#[rustfmt::skip]
static PLACES: [Place; 10] = [
    Place { attr: "href", elements: &["a", "area", "image", "link", "use"], everywhere: true, empty: Empty::BaseOfLink },
    Place { attr: "src", elements: SOURCES, everywhere: true, empty: Empty::Stays },
    Place { attr: SRCSET, elements: &["img", "source"], everywhere: true, empty: Empty::Stays },
    Place { attr: "action", elements: &["form"], everywhere: false, empty: Empty::Document },
    Place { attr: "formaction", elements: &["button", "input"], everywhere: false, empty: Empty::Document },
    Place { attr: "cite", elements: &["blockquote", "del", "ins", "q"], everywhere: false, empty: Empty::Base },
    Place { attr: "data", elements: &["object"], everywhere: false, empty: Empty::Stays },
    Place { attr: "poster", elements: &["video"], everywhere: false, empty: Empty::Stays },
    Place { attr: "background", elements: CELLS, everywhere: false, empty: Empty::Stays },
    Place { attr: "longdesc", elements: &["frame", "iframe", "img"], everywhere: false, empty: Empty::Stays },
];

const SRCSET: &str = "srcset";

/// A parsed base URL of one of the two libraries. Both resolve as the URL Standard says,
/// which is absolink's profile WHATWG.
trait Base: Sized {
    fn parse(url: &str) -> Option<Self>;

    /// Calls `then` with the absolute form of a reference, if it has one.
    fn resolve(&self, reference: &str, then: impl FnOnce(&str));

    /// The URL of a page, parsed by this library.
    fn of(page: &Page) -> &Self;
}

impl Base for url::Url {
    fn parse(url: &str) -> Option<Self> {
        url::Url::parse(url).ok()
    }

    fn resolve(&self, reference: &str, then: impl FnOnce(&str)) {
        if let Ok(url) = self.join(reference) {
            then(url.as_str());
        }
    }

    fn of(page: &Page) -> &Self {
        &page.url
    }
}

/// A base URL for ada-url, which takes a base as text and parses it for each reference.
struct Ada(String);

impl Base for Ada {
    fn parse(url: &str) -> Option<Self> {
        let url = ada_url::Url::parse(url, None).ok()?;
        Some(Ada(url.href().to_owned()))
    }

    fn resolve(&self, reference: &str, then: impl FnOnce(&str)) {
        if let Ok(url) = ada_url::Url::parse(reference, Some(&self.0)) {
            then(url.href());
        }
    }

    fn of(page: &Page) -> &Self {
        &page.ada
    }
}

struct Page {
    html: Vec<u8>,
    url: url::Url,
    ada: Ada,
}

/// The rewriting of one page. The handlers share it.
struct Run<'p, B> {
    html: &'p [u8],
    outer: &'p B,
    /// The URL of the first BASE. It counts for what follows the BASE, because a rewriter
    /// that streams has written what precedes it.
    embedded: OnceCell<B>,
    rewritten: Cell<usize>,
    /// The srcset that is being made, to use its memory again.
    srcset: RefCell<String>,
}

impl<'p, B: Base> Run<'p, B> {
    fn new(page: &'p Page) -> Self {
        Run {
            html: &page.html,
            outer: B::of(page),
            embedded: OnceCell::new(),
            rewritten: Cell::new(0),
            srcset: RefCell::default(),
        }
    }

    fn base(&self) -> &B {
        self.embedded.get().unwrap_or(self.outer)
    }

    /// Makes those of the places absolute that `fits` accepts.
    ///
    /// lol-html returns names and values of attributes as new strings. The page is in
    /// memory, so they are read there, where lol-html says that they stand: that was
    /// faster than `get_attribute` and than `Attribute::value`.
    #[inline]
    fn rewrite(
        &self,
        element: &mut Element<'_, '_>,
        places: &[&'static Place],
        fits: impl Fn(&Place, &Element<'_, '_>) -> bool,
    ) -> HandlerResult {
        let mut seen = 0u32;
        for i in 0..element.attributes().len() {
            let attribute = &element.attributes()[i];
            let Some(name) = attribute.name_source_location() else {
                continue; // it has been set
            };
            let name = &self.html[name.bytes()];
            let Some(p) =
                (places.iter()).position(|p| p.attr.as_bytes().eq_ignore_ascii_case(name))
            else {
                continue;
            };
            // Of attributes with the same name, the first counts.
            if seen & (1 << p) != 0 || !fits(places[p], element) {
                continue;
            }
            seen |= 1 << p;
            let value = attribute.value_source_location();
            let value = value.map_or(&[][..], |v| &self.html[v.bytes()]);
            if let Ok(value) = str::from_utf8(value) {
                self.rewrite_value(element, places[p], value)?;
            }
        }
        Ok(())
    }

    /// Makes the value of a place absolute. Character references are not decoded: in a
    /// URL, `&amp;` nearly always passes through the resolver as it is.
    fn rewrite_value(
        &self,
        element: &mut Element<'_, '_>,
        place: &Place,
        value: &str,
    ) -> HandlerResult {
        if place.attr == SRCSET {
            return self.rewrite_srcset(element, value);
        }
        let reference = value.trim_ascii();
        if is_absolute(reference.as_bytes()) {
            return Ok(());
        }
        let mut base = self.base();
        match reference.as_bytes().first() {
            None => match place.empty {
                Empty::Stays => return Ok(()),
                Empty::Base => {}
                Empty::BaseOfLink if matches!(&*element.tag_name(), "a" | "area") => {}
                Empty::BaseOfLink => return Ok(()),
                Empty::Document => base = self.outer,
            },
            // In SVG, it names an element of the same document.
            Some(b'#') if element.namespace_uri() == "http://www.w3.org/2000/svg" => return Ok(()),
            Some(_) => {}
        }
        self.set(element, place.attr, base, reference)
    }

    /// Sets an attribute to the absolute form of a reference, if that is something else.
    fn set(
        &self,
        element: &mut Element<'_, '_>,
        attr: &str,
        base: &B,
        reference: &str,
    ) -> HandlerResult {
        let mut result = Ok(());
        base.resolve(reference, |url| {
            if url != reference {
                self.rewritten.set(self.rewritten.get() + 1);
                result = element.set_attribute(attr, url);
            }
        });
        Ok(result?)
    }

    /// Makes the URLs of the image candidates absolute (HTML Standard, "parse a srcset
    /// attribute").
    fn rewrite_srcset(&self, element: &mut Element<'_, '_>, value: &str) -> HandlerResult {
        let mut made = self.srcset.borrow_mut();
        made.clear();
        let bytes = value.as_bytes();
        let (mut i, mut copied) = (0, 0);
        loop {
            i += length(&bytes[i..], |b| b.is_ascii_whitespace() || b == b',');
            if i == bytes.len() {
                break;
            }
            let start = i;
            i += length(&bytes[i..], |b| !b.is_ascii_whitespace());
            let reference = value[start..i].trim_end_matches(',');
            let end = start + reference.len();
            if !is_absolute(reference.as_bytes()) {
                self.base().resolve(reference, |url| {
                    if url != reference {
                        self.rewritten.set(self.rewritten.get() + 1);
                        made.push_str(&value[copied..start]);
                        made.push_str(url);
                        copied = end;
                    }
                });
            }
            if end == i {
                i += descriptors(&bytes[i..]);
            }
        }
        if copied > 0 {
            made.push_str(&value[copied..]);
            element.set_attribute(SRCSET, &made)?;
        }
        Ok(())
    }

    /// Makes the href of a BASE absolute, and lets the first one count. There are few, so
    /// this need not be fast.
    fn rewrite_base(&self, element: &mut Element<'_, '_>) -> HandlerResult {
        let Some(href) = element.get_attribute("href") else {
            return Ok(());
        };
        if self.embedded.get().is_none() {
            self.outer.resolve(&href, |url| {
                if let Some(base) = B::parse(url) {
                    let _ = self.embedded.set(base);
                }
            });
        }
        if is_absolute(href.as_bytes()) {
            return Ok(());
        }
        self.set(element, "href", self.outer, &href)
    }
}

/// Reports whether a reference has a scheme, so that no base is needed. A reference such
/// as `http:x` may be relative to a base with the same scheme, and is left to the parser.
fn is_absolute(reference: &[u8]) -> bool {
    if reference.starts_with(b"https://") || reference.starts_with(b"http://") {
        return true;
    }
    let n = length(reference, |b| {
        b.is_ascii_alphanumeric() || b"+-.".contains(&b)
    });
    if n == 0 || !reference[0].is_ascii_alphabetic() || reference.get(n) != Some(&b':') {
        return false;
    }
    let special: [&[u8]; 6] = [b"http", b"https", b"file", b"ftp", b"ws", b"wss"];
    !special
        .iter()
        .any(|s| s.eq_ignore_ascii_case(&reference[..n]))
        || reference[n + 1..].starts_with(b"//")
}

/// Returns how many bytes at the start are of a kind.
fn length(bytes: &[u8], mut kind: impl FnMut(u8) -> bool) -> usize {
    bytes.iter().position(|&b| !kind(b)).unwrap_or(bytes.len())
}

/// Returns how long the descriptors of an image candidate are: they end at a comma that
/// is not in parentheses.
fn descriptors(bytes: &[u8]) -> usize {
    let mut open = false;
    length(bytes, |b| {
        match b {
            b'(' => open = true,
            b')' => open = false,
            _ => {}
        }
        open || b != b','
    })
}

/// The selectors are parsed once. Each page needs a rewriter of its own, which compiles
/// them again: lol-html has no way to avoid that.
struct Selectors {
    names: Vec<(Selector, Vec<&'static Place>)>,
    any: Selector,
    base: Selector,
    unmatched: Selector,
}

impl Selectors {
    fn new() -> Result<Self, Box<dyn Error>> {
        let mut names: Vec<_> = PLACES.iter().flat_map(|p| p.elements).collect();
        names.sort_unstable();
        names.dedup();
        let names = names.into_iter().map(|name| {
            let places = PLACES.iter().filter(|p| p.elements.contains(name));
            Ok((name.parse()?, places.collect()))
        });
        Ok(Selectors {
            names: names.collect::<Result<_, Box<dyn Error>>>()?,
            any: "*".parse()?,
            base: "base".parse()?,
            unmatched: "no-such-element".parse()?,
        })
    }
}

/// How a pass uses lol-html.
#[derive(Clone, Copy)]
enum Handlers {
    /// No handlers: lol-html then only looks for tags, and reads no attributes. This is
    /// the faster of the two ways to do nothing, by far.
    Idle,
    /// A handler that is never called. lol-html has to keep the open elements for it.
    Unmatched,
    /// A handler for each name of an element that has places. Selectors with attributes,
    /// such as `a[href]`, were slower, and so was one handler for a list of the names.
    Names,
    /// One handler for every element, besides that for BASE.
    Any,
}

type Handler<'h> = (Cow<'h, Selector>, ElementContentHandlers<'h>);

fn handler<'h>(
    selector: &'h Selector,
    f: impl FnMut(&mut Element<'_, '_>) -> HandlerResult + 'h,
) -> Handler<'h> {
    (
        Cow::Borrowed(selector),
        ElementContentHandlers::default().element(f),
    )
}

/// Rewrites a page, and returns the length of the new page and the number of references
/// that were made absolute.
fn rewrite<B: Base>(
    page: &Page,
    selectors: &Selectors,
    handlers: Handlers,
) -> Result<(usize, usize), Box<dyn Error>> {
    let run = &Run::<B>::new(page);
    let mut settings = Settings::new().with_strict(false);
    if let Handlers::Names | Handlers::Any = handlers {
        settings = settings
            .append_element_content_handler(handler(&selectors.base, |e| run.rewrite_base(e)));
    }
    match handlers {
        Handlers::Idle => {}
        Handlers::Unmatched => {
            settings =
                settings.append_element_content_handler(handler(&selectors.unmatched, |_| Ok(())));
        }
        Handlers::Names => {
            for (selector, places) in &selectors.names {
                settings = settings.append_element_content_handler(handler(selector, |e| {
                    run.rewrite(e, places, |_, _| true)
                }));
            }
        }
        Handlers::Any => {
            let places = PLACES.each_ref();
            settings = settings.append_element_content_handler(handler(&selectors.any, move |e| {
                run.rewrite(e, &places, |place, e| {
                    place.everywhere || place.elements.contains(&&*e.tag_name())
                })
            }));
        }
    }
    let mut written = 0;
    let mut rewriter = HtmlRewriter::new(settings, |chunk: &[u8]| written += chunk.len());
    rewriter.write(&page.html)?;
    rewriter.end()?;
    Ok((written, run.rewritten.get()))
}

/// Rewrites a page in the way with a name.
type Way = fn(&Page, &Selectors) -> Result<(usize, usize), Box<dyn Error>>;

const WAYS: [(&str, Way); 6] = [
    ("idle", |p, s| rewrite::<url::Url>(p, s, Handlers::Idle)),
    ("unmatched", |p, s| {
        rewrite::<url::Url>(p, s, Handlers::Unmatched)
    }),
    ("names/url", |p, s| {
        rewrite::<url::Url>(p, s, Handlers::Names)
    }),
    ("names/ada-url", |p, s| {
        rewrite::<Ada>(p, s, Handlers::Names)
    }),
    ("any/url", |p, s| rewrite::<url::Url>(p, s, Handlers::Any)),
    ("any/ada-url", |p, s| rewrite::<Ada>(p, s, Handlers::Any)),
];

fn way(name: &str) -> Result<Way, String> {
    let named = WAYS.iter().find(|(n, _)| *n == name);
    named
        .map(|(_, way)| *way)
        .ok_or(format!("no such way: {name}"))
}

fn read_pages(list: &str) -> Result<Vec<Page>, Box<dyn Error>> {
    let lines = fs::read_to_string(list)?;
    let pages = lines.lines().map(|line| {
        let (path, url) = line.rsplit_once('\t').ok_or("a line without a tab")?;
        Ok(Page {
            html: fs::read(path)?,
            url: Base::parse(url).ok_or("not a URL")?,
            ada: Base::parse(url).ok_or("not a URL")?,
        })
    });
    pages.collect()
}

/// Does what a line says, and returns the answer.
fn obey(line: &str, pages: &[Page], selectors: &Selectors) -> Result<String, Box<dyn Error>> {
    let (first, second) = line.split_once(' ').ok_or("a line without a space")?;
    if first == "counts" {
        let way = way(second)?;
        let counts = pages
            .iter()
            .map(|page| Ok(way(page, selectors)?.1.to_string()));
        return Ok(counts
            .collect::<Result<Vec<_>, Box<dyn Error>>>()?
            .join(" "));
    }
    let (way, passes) = (way(first)?, second.parse::<usize>()?);
    let start = Instant::now();
    for _ in 0..passes {
        for page in pages {
            black_box(way(page, selectors)?);
        }
    }
    Ok(start.elapsed().as_secs_f64().to_string())
}

fn main() -> Result<(), Box<dyn Error>> {
    let pages = read_pages(&env::args().nth(1).ok_or("the list of pages is missing")?)?;
    let selectors = Selectors::new()?;
    for line in io::stdin().lock().lines() {
        println!("{}", obey(&line?, &pages, &selectors)?);
        io::stdout().flush()?;
    }
    Ok(())
}
