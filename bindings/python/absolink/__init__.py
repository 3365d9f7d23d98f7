"""Makes every link in an HTML document absolute, and changes nothing else.

>>> import absolink
>>> absolink.rewrite('<a href=../style.css>', 'http://example.org/docs/guide.html')
'<a href=http://example.org/style.css>'

Links lead where browsers lead: the profile is "whatwg" by default, unlike in the command.
Everything happens in the call: there is no other process, no thread, file or socket.
"""

from __future__ import annotations

import codecs
import ctypes
import functools
import os
import re
import sys
import warnings
from typing import TYPE_CHECKING, Any, AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, List, Literal, Optional, Sequence, Tuple, TypedDict, Union, overload

from ._command import find_command
from ._library import DECODED, LIST, ON_FEED, PIECE, SHEET, Instance, Settings, Stream, take
from ._place import Columns, Place, Result, Row

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Columns", "LimitWarning", "Options", "Place", "Profile", "Result", "Rewriter", "Row", "astream", "columns", "find_command", "places", "resolve", "resolve_all", "rewrite", "rewrite_feed", "rows", "stream"]
__version__ = "0.0.0"

Profile = Literal["rfc1808", "rfc3986", "whatwg"]
_ItemBase = Literal["link", "feed"]
_Bytes = Union[bytes, bytearray, memoryview]


class Options(TypedDict, total=False):
    """The options of rewrite and places: those of a Rewriter, which describes them."""

    profile: Profile
    rules: Optional[Sequence[str]]
    keep_fragments: bool
    keep: Optional[Sequence[str]]
    remove_base: bool
    whole_document: bool
    ignore_saved: bool
    canonical: bool
    hold: Optional[int]
    max_tag: Optional[int]
    visit: Optional[Callable[[Place], Optional[str]]]
    unresolvable: Optional[Callable[[Place], object]]
    warn: Optional[Callable[[int, str], object]]
    done: Optional[Callable[[Result], object]]


class LimitWarning(UserWarning):
    """Says that a document has met a limit: what is beyond it does not count, or stays as it is.

    Each limit is told once for a document, and for each document, unless a filter of the
    program says otherwise.
    """


warnings.simplefilter("always", LimitWarning, append=True)


class Rewriter:
    """Keeps options for many documents. Any number of threads may use it at a time.

    profile: the standard to resolve by: "whatwg" (the default), "rfc1808" or "rfc3986".
    rules: groups of places ("html", "lazy", …) and rules ("img[data-zoom]=url", "-a[ping]").
    keep_fragments: keep references that are only a fragment, such as "#top".
    keep: patterns of references that stay as they are, such as "{{*": "*" is any characters, and
        "\\\\*" is a star.
    remove_base: remove the URL of every BASE, if a base is known.
    whole_document: let a BASE count wherever it stands, and not only in the head.
    ignore_saved: ignore the comments in which browsers leave the URL of a saved page.
    canonical: take the URL of link rel=canonical or og:url where nothing else gives a base.
    hold: how many bytes may be held until it is known whether a BASE follows, by default 16 MiB.
    max_tag: how many bytes may be held of one tag or one text with places, by default 1 MiB.
    visit: is called with every Place before it is written. A str is written instead of its
        url, "" keeps the value as it is, and None changes nothing.
    unresolvable: is called with every Place whose reference has no absolute form.
    warn: is called with an offset and a message for whatever is wrong with the document, other
        than with one place. Without it, a limit that is met is a LimitWarning, and a feed that
        is read as HTML is a UserWarning, and so is a merge tag of a template.
    done: is called with the Result when a document, a stream, a list or a feed has come to its
        end.

    A wrong option is a ValueError or a TypeError. What a function raises ends the document, and
    is raised by the call.
    """

    def __init__(
        self,
        *,
        profile: Profile = "whatwg",
        rules: Optional[Sequence[str]] = None,
        keep_fragments: bool = False,
        keep: Optional[Sequence[str]] = None,
        remove_base: bool = False,
        whole_document: bool = False,
        ignore_saved: bool = False,
        canonical: bool = False,
        hold: Optional[int] = None,
        max_tag: Optional[int] = None,
        visit: Optional[Callable[[Place], Optional[str]]] = None,
        unresolvable: Optional[Callable[[Place], object]] = None,
        warn: Optional[Callable[[int, str], object]] = None,
        done: Optional[Callable[[Result], object]] = None,
    ) -> None:
        lines = ["profile=" + _line("profile", profile)]
        if rules is not None:
            if isinstance(rules, (str, bytes)):
                raise TypeError("rules is a sequence of strings, not a string")
            lines += ["rules=", *("rule=" + _line("a rule", rule) for rule in rules)]
        if keep is not None:
            if isinstance(keep, (str, bytes)):
                raise TypeError("keep is a sequence of strings, not a string")
            lines += ["keep=" + _line("a pattern to keep", pattern) for pattern in keep]
        for name, flag in [
            ("keepFragments", keep_fragments),
            ("removeBase", remove_base),
            ("wholeDocument", whole_document),
            ("ignoreSaved", ignore_saved),
            ("canonical", canonical),
        ]:
            if not isinstance(flag, bool):
                raise TypeError(f"{_snake(name)} is {type(flag).__name__}, not True or False")
            if flag:
                lines.append(name)
        for name, number in [("hold", hold), ("maxTag", max_tag)]:
            if number is None:
                continue
            if not isinstance(number, int) or isinstance(number, bool):
                raise TypeError(f"{_snake(name)} is {type(number).__name__}, not a number of bytes")
            if not 0 < number < 1 << 31:
                raise ValueError(f"{_snake(name)} is a number of bytes above 0, and below 2 GiB")
            lines.append(f"{name}={number}")
        for name, function in [("visit", visit), ("unresolvable", unresolvable), ("warn", warn), ("done", done)]:
            if function is not None and not callable(function):
                raise TypeError(f"{name} is {type(function).__name__}, not a function")
        self._settings = Settings("\n".join(lines).encode(), visit, unresolvable, warn, done)
        take(self._settings).give()  # says what is wrong at once

    @overload
    def rewrite(self, document: str, url: Optional[str] = None, *, charset: Optional[str] = None, sheet: bool = False) -> str: ...

    @overload
    def rewrite(self, document: _Bytes, url: Optional[str] = None, *, charset: Optional[str] = None, sheet: bool = False) -> bytes: ...

    def rewrite(self, document: Union[str, _Bytes], url: Optional[str] = None, *, charset: Optional[str] = None, sheet: bool = False) -> Union[str, bytes]:
        """Returns the document with its links absolute; everything else is as it was.

        The result of a str is a str, and that of bytes, bytearray or memoryview is bytes. url is
        the URL that the document was retrieved from: the base of relative links if the document
        embeds none. charset is the charset parameter of its Content-Type, or what Python calls the
        encoding; for a str, it is the encoding that it was decoded from, which counts for
        queries. sheet says that the document is a style sheet. A url that cannot be a base is a
        ValueError.
        """
        source = _Source(document, url, charset, sheet)
        data = _encoded(document)
        with take(self._settings) as instance:
            instance.tells(source.unheard)
            if len(data) <= PIECE:
                result = instance.rewrite(source.url, source.charset, source.flags, bytes(data))
            else:
                result = _long(instance, source, data)
        return result.decode("utf-8", "surrogatepass") if isinstance(document, str) else result

    @overload
    def rewrite_feed(self, feed: str, url: Optional[str] = None, *, charset: Optional[str] = None, item_base: _ItemBase = "link") -> str: ...

    @overload
    def rewrite_feed(self, feed: _Bytes, url: Optional[str] = None, *, charset: Optional[str] = None, item_base: _ItemBase = "link") -> bytes: ...

    def rewrite_feed(self, feed: Union[str, _Bytes], url: Optional[str] = None, *, charset: Optional[str] = None, item_base: _ItemBase = "link") -> Union[str, bytes]:
        """Returns a feed (RSS, Atom, JSON Feed or a sitemap) with its links absolute, and those in its HTML.

        url is the URL that the feed was retrieved from. charset is, for a str, the encoding that
        it was decoded from; bytes are in the encoding that the feed declares. item_base says
        what the links in the HTML are relative to: the "link" of the item, or the "feed" itself,
        as in feeds of Hugo with relativeURLs.
        """
        if item_base not in ("link", "feed"):
            raise ValueError(f'item_base is {item_base!r}, neither "link" nor "feed"')
        source = _Source(feed, url, charset, False)
        flags = source.flags | (ON_FEED if item_base == "feed" else 0)
        with take(self._settings) as instance:
            instance.tells(source.unheard)
            result = instance.rewrite_feed(source.url, source.charset, flags, bytes(_encoded(feed)))
        return result.decode("utf-8", "surrogatepass") if isinstance(feed, str) else result

    @overload
    def stream(self, pieces: Iterable[str], url: Optional[str] = None, *, charset: Optional[str] = None, sheet: bool = False) -> Iterator[str]: ...

    @overload
    def stream(self, pieces: Iterable[_Bytes], url: Optional[str] = None, *, charset: Optional[str] = None, sheet: bool = False) -> Iterator[bytes]: ...

    def stream(self, pieces: Iterable[Any], url: Optional[str] = None, *, charset: Optional[str] = None, sheet: bool = False) -> Iterator[Any]:
        """Yields the rewritten document while its pieces come, and holds no more than it needs.

        The pieces are str, and then so is what is yielded, or they are bytes.
        """
        self._check_pieces(pieces, url, charset, sheet)
        return self._stream(iter(pieces), url, charset, sheet)

    def _stream(self, pieces: Iterator[Any], url: Optional[str], charset: Optional[str], sheet: bool) -> Iterator[Any]:
        document = _Document(self._settings, url, charset, sheet)
        try:
            for piece in pieces:
                yield from document.write(piece)
            yield from document.finish()
        finally:
            document.end()

    @overload
    def astream(self, pieces: AsyncIterable[str], url: Optional[str] = None, *, charset: Optional[str] = None, sheet: bool = False) -> AsyncIterator[str]: ...

    @overload
    def astream(self, pieces: AsyncIterable[_Bytes], url: Optional[str] = None, *, charset: Optional[str] = None, sheet: bool = False) -> AsyncIterator[bytes]: ...

    def astream(self, pieces: AsyncIterable[Any], url: Optional[str] = None, *, charset: Optional[str] = None, sheet: bool = False) -> AsyncIterator[Any]:
        """Yields what stream does, for pieces that come asynchronously."""
        if not hasattr(pieces, "__aiter__"):
            raise TypeError(f"pieces is {type(pieces).__name__}, and not an asynchronous iterable of pieces; stream takes other ones")
        self._check_pieces(pieces, url, charset, sheet)
        return self._astream(pieces, url, charset, sheet)

    async def _astream(self, pieces: AsyncIterable[Any], url: Optional[str], charset: Optional[str], sheet: bool) -> AsyncIterator[Any]:
        document = _Document(self._settings, url, charset, sheet)
        try:
            async for piece in pieces:
                for out in document.write(piece):
                    yield out
            for out in document.finish():
                yield out
        finally:
            document.end()

    def _check_pieces(self, pieces: Any, url: Optional[str], charset: Optional[str], sheet: bool) -> None:
        if isinstance(pieces, (str, bytes, bytearray, memoryview)):
            raise TypeError(f"pieces is {type(pieces).__name__}, and not an iterable of pieces, such as a list")
        _Source(b"", url, charset, sheet).check(self._settings)

    def places(self, document: Union[str, _Bytes], url: Optional[str] = None, *, charset: Optional[str] = None, sheet: bool = False) -> Iterator[Place]:
        """Lists the places of a document. The arguments are those of rewrite."""
        listed = self._listed(document, url, charset, sheet, Instance.places)
        return (place for some in listed for place in some)

    def columns(self, document: Union[str, _Bytes], url: Optional[str] = None, *, charset: Optional[str] = None, sheet: bool = False) -> Columns:
        """Returns the places of a document in columns, which a DataFrame takes as they are."""
        columns: List[List[Any]] = [[] for _ in Row._fields]
        for part in self._listed(document, url, charset, sheet, Instance.columns):
            for column, values in zip(columns, part):
                column += values
        return dict(zip(Row._fields, columns))  # type: ignore[return-value]

    def rows(self, document: Union[str, _Bytes], url: Optional[str] = None, *, charset: Optional[str] = None, sheet: bool = False) -> List[Row]:
        """Returns the places of a document as named tuples."""
        columns: Any = self.columns(document, url, charset=charset, sheet=sheet)
        return list(map(Row._make, zip(*columns.values())))

    def _listed(self, document: Union[str, _Bytes], url: Optional[str], charset: Optional[str], sheet: bool, made: Callable[[Instance], Any]) -> Iterator[Any]:
        source = _Source(document, url, charset, sheet)
        source.check(self._settings)
        return self._list(source, _encoded(document), made)

    def _list(self, source: _Source, document: _Bytes, made: Callable[[Instance], Any]) -> Iterator[Any]:
        stream = Stream(self._settings, source.url, source.charset, source.flags | LIST, source.unheard, made)
        try:
            for i in range(0, len(document), PIECE >> 4):
                yield stream.write(bytes(document[i : i + (PIECE >> 4)]), len(document))
            found = stream.finish(len(document))
        finally:
            stream.end()
        yield found


class _Document:
    """A document in pieces of any length, all str or all bytes, as is what it becomes."""

    def __init__(self, settings: Settings, url: Optional[str], charset: Optional[str], sheet: bool) -> None:
        self._settings, self._of = settings, (url, charset, sheet)
        self._stream: Optional[Stream] = None
        self._text = False
        self._total = 0
        self._rest = b""  # of a character

    def _open(self, first: Any) -> Stream:
        source = _Source(first, *self._of)
        self._text = isinstance(first, str)
        self._stream = Stream(self._settings, source.url, source.charset, source.flags, source.unheard)
        return self._stream

    def write(self, piece: Any) -> Iterator[Any]:
        stream = self._stream or self._open(piece)
        if isinstance(piece, str) != self._text:
            raise TypeError("some pieces are str, and others are bytes")
        data = _encoded(piece)
        for i in range(0, len(data), PIECE):
            part = bytes(data[i : i + PIECE])
            self._total += len(part)
            yield from self._made(stream.write(part, self._total))

    def finish(self) -> Iterator[Any]:
        stream = self._stream or self._open(b"")
        result = stream.finish(self._total)
        self.end()
        yield from self._made(result)

    def _made(self, out: bytes) -> Iterator[Any]:
        if not self._text:
            if out:
                yield out
            return
        out = self._rest + out
        n = _whole(out)
        self._rest = out[n:]
        if n > 0:
            yield out[:n].decode("utf-8", "surrogatepass")

    def end(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.end()


def _long(instance: Instance, source: _Source, document: _Bytes) -> bytes:
    """Rewrites a long document: between its pieces, Python sees signals."""
    stream = instance.open(source.url, source.charset, source.flags)
    parts = []
    for i in range(0, len(document), PIECE):
        instance.write(stream, bytes(document[i : i + PIECE]), len(document))
        parts.append(instance.result())
    instance.finish(stream, len(document))
    parts.append(instance.result())
    return b"".join(parts)


class _Source:
    """What is said of a document, as the library takes it."""

    __slots__ = ("url", "charset", "flags", "told")

    def __init__(self, document: Any, url: Optional[str], charset: Optional[str], sheet: bool) -> None:
        if not isinstance(document, (str, bytes, bytearray, memoryview)):
            raise TypeError(f"the document is {type(document).__name__}, not str or bytes")
        if not isinstance(sheet, bool):
            raise TypeError(f"sheet is {type(sheet).__name__}, not True or False")
        if url == "":
            raise ValueError("url is empty; leave it out for a document that names its own base")
        self.url = None if url is None else _line("url", url).encode()
        if charset is None:
            self.charset = None
        elif not isinstance(charset, str):
            raise TypeError(f"charset is {type(charset).__name__}, not str")
        else:
            self.charset = _label(charset)
        self.flags = SHEET if sheet else 0
        if isinstance(document, str):
            self.flags |= DECODED
            self.charset = self.charset or b"utf-8"
        self.told: List[str] = []

    def check(self, settings: Settings) -> None:
        """Says at once that the URL cannot be a base."""
        with take(settings) as instance:
            instance.drop(instance.open(self.url, self.charset, self.flags))

    def unheard(self, offset: int, message: str) -> None:
        """Warns of what a limit has left out, of a feed that is read as HTML, and of a template."""
        feed, tag = message.startswith("the document is a feed"), "looks like a merge tag" in message
        if not (feed or tag or "than may be held" in message) or message in self.told:
            return
        self.told.append(message)
        where = f"byte {offset}"
        if self.url is not None:
            where = f"{re.sub('//[^/?#]*@', '//', self.url.decode(), count=1)}, {where}"
        hint = "rewrite_feed does" if feed else "keep leaves such links as they are" if tag else f"{'hold' if 'BASE' in message else 'max_tag'} raises the limit"
        warnings.warn(f"{where}: {message} ({hint})", UserWarning if feed or tag else LimitWarning, stacklevel=_depth())


# Encodings whose names in Python are not among the labels of the Encoding Standard.
_LABELS = {
    "ascii": "us-ascii",
    "big5hkscs": "big5",
    "cp874": "windows-874",
    "cp932": "shift_jis",
    "cp949": "euc-kr",
    "euc_jp": "euc-jp",
    "euc_kr": "euc-kr",
    "hz": "hz-gb-2312",
    "iso2022_jp": "iso-2022-jp",
    "iso2022_kr": "iso-2022-kr",
    "iso8859-16": "iso-8859-16",
    "mac-cyrillic": "x-mac-cyrillic",
    "mac-roman": "macintosh",
    "utf-16-be": "utf-16be",
    "utf-16-le": "utf-16le",
    "utf-8-sig": "utf-8",
}


@functools.lru_cache(maxsize=64)
def _label(charset: str) -> bytes:
    """Returns the label of an encoding, which may be named as Python names it."""
    if not charset.isascii() or not charset.isprintable():
        raise ValueError(f"no such charset: {charset!r}")
    try:
        name = codecs.lookup(charset).name
    except LookupError:
        name = charset
    return _LABELS.get(name, name).encode()


def _line(name: str, text: str) -> str:
    """Checks a text that the library takes as a line."""
    if not isinstance(text, str):
        raise TypeError(f"{name} is {type(text).__name__}, not str")
    if "\0" in text or "\n" in text and name != "url":
        raise ValueError(f"{name} has a NUL or a newline in it: {text!r}")
    return text


def _snake(name: str) -> str:
    return re.sub("[A-Z]", lambda m: "_" + m[0].lower(), name)


def _encoded(document: Union[str, _Bytes]) -> _Bytes:
    """Returns a document as bytes. Half of a surrogate pair is three bytes."""
    if isinstance(document, str):
        return document.encode("utf-8", "surrogatepass")
    if isinstance(document, bytes):
        return document
    if isinstance(document, memoryview) and document.c_contiguous:
        return document.cast("B")
    if isinstance(document, (bytearray, memoryview)):
        return bytes(document)
    raise TypeError(f"a piece of the document is {type(document).__name__}, not str or bytes")


def _whole(text: bytes) -> int:
    """Returns the length of text without an unfinished character at its end."""
    for i in range(1, min(3, len(text)) + 1):
        c = text[-i]
        if c >= 0xC0:
            length = 2 if c < 0xE0 else 3 if c < 0xF0 else 4
            return len(text) - i if length > i else len(text)
        if c < 0x80:
            break
    return len(text)


def _depth() -> int:
    """Returns how many frames below its caller the first is that is not of this package."""
    depth, frame = 1, sys._getframe(1)
    ours = (os.path.dirname(__file__), os.path.dirname(ctypes.__file__), os.path.join(os.path.dirname(os.__file__), "_ctypes"))  # the last is PyPy's
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) in ours:
        depth, frame = depth + 1, frame.f_back
    return depth


_default: List[Rewriter] = []


def _rewriter(options: Any) -> Rewriter:
    if options:
        return Rewriter(**options)
    if not _default:
        _default.append(Rewriter())
    return _default[0]


@overload
def rewrite(document: str, url: Optional[str] = None, *, charset: Optional[str] = None, sheet: bool = False, **options: Unpack[Options]) -> str: ...


@overload
def rewrite(document: _Bytes, url: Optional[str] = None, *, charset: Optional[str] = None, sheet: bool = False, **options: Unpack[Options]) -> bytes: ...


def rewrite(document: Any, url: Optional[str] = None, *, charset: Optional[str] = None, sheet: bool = False, **options: Unpack[Options]) -> Any:
    """Returns the document with its links absolute: see Rewriter and Rewriter.rewrite.

    >>> rewrite(b'<a href=x>', 'http://example.org/docs/', keep_fragments=True)
    b'<a href=http://example.org/docs/x>'
    """
    return _rewriter(options).rewrite(document, url, charset=charset, sheet=sheet)


@overload
def rewrite_feed(feed: str, url: Optional[str] = None, *, charset: Optional[str] = None, item_base: _ItemBase = "link", **options: Unpack[Options]) -> str: ...


@overload
def rewrite_feed(feed: _Bytes, url: Optional[str] = None, *, charset: Optional[str] = None, item_base: _ItemBase = "link", **options: Unpack[Options]) -> bytes: ...


def rewrite_feed(feed: Any, url: Optional[str] = None, *, charset: Optional[str] = None, item_base: _ItemBase = "link", **options: Unpack[Options]) -> Any:
    """Returns a feed with its links absolute: see Rewriter and Rewriter.rewrite_feed.

    >>> rewrite_feed('<rss><channel><link>x</link></channel></rss>', 'http://example.org/')
    '<rss><channel><link>http://example.org/x</link></channel></rss>'
    """
    return _rewriter(options).rewrite_feed(feed, url, charset=charset, item_base=item_base)


@overload
def stream(pieces: Iterable[str], url: Optional[str] = None, *, charset: Optional[str] = None, sheet: bool = False, **options: Unpack[Options]) -> Iterator[str]: ...


@overload
def stream(pieces: Iterable[_Bytes], url: Optional[str] = None, *, charset: Optional[str] = None, sheet: bool = False, **options: Unpack[Options]) -> Iterator[bytes]: ...


def stream(pieces: Iterable[Any], url: Optional[str] = None, *, charset: Optional[str] = None, sheet: bool = False, **options: Unpack[Options]) -> Iterator[Any]:
    """Yields the rewritten document while its pieces come: see Rewriter and Rewriter.stream.

    >>> list(stream(['<a hre', 'f=x>'], 'http://example.org/'))
    ['<a href=http://example.org/x>']
    """
    return _rewriter(options).stream(pieces, url, charset=charset, sheet=sheet)


@overload
def astream(pieces: AsyncIterable[str], url: Optional[str] = None, *, charset: Optional[str] = None, sheet: bool = False, **options: Unpack[Options]) -> AsyncIterator[str]: ...


@overload
def astream(pieces: AsyncIterable[_Bytes], url: Optional[str] = None, *, charset: Optional[str] = None, sheet: bool = False, **options: Unpack[Options]) -> AsyncIterator[bytes]: ...


def astream(pieces: AsyncIterable[Any], url: Optional[str] = None, *, charset: Optional[str] = None, sheet: bool = False, **options: Unpack[Options]) -> AsyncIterator[Any]:
    """Yields what stream does, for pieces that come asynchronously: see Rewriter and Rewriter.astream."""
    return _rewriter(options).astream(pieces, url, charset=charset, sheet=sheet)


def places(document: Union[str, _Bytes], url: Optional[str] = None, *, charset: Optional[str] = None, sheet: bool = False, **options: Unpack[Options]) -> Iterator[Place]:
    """Lists the places of a document: see Rewriter and Rewriter.places.

    >>> [place.url for place in places('<a href=x><img src=y>', 'http://example.org/')]
    ['http://example.org/x', 'http://example.org/y']
    """
    return _rewriter(options).places(document, url, charset=charset, sheet=sheet)


def columns(document: Union[str, _Bytes], url: Optional[str] = None, *, charset: Optional[str] = None, sheet: bool = False, **options: Unpack[Options]) -> Columns:
    """Returns the places of a document in columns: see Rewriter and Rewriter.columns.

    >>> columns('<a href=x><img src=y>', 'http://example.org/')['url']
    ['http://example.org/x', 'http://example.org/y']
    """
    return _rewriter(options).columns(document, url, charset=charset, sheet=sheet)


def rows(document: Union[str, _Bytes], url: Optional[str] = None, *, charset: Optional[str] = None, sheet: bool = False, **options: Unpack[Options]) -> List[Row]:
    """Returns the places of a document as named tuples: see Rewriter and Rewriter.rows.

    >>> rows('<img src=y>', 'http://example.org/')[0].url
    'http://example.org/y'
    """
    return _rewriter(options).rows(document, url, charset=charset, sheet=sheet)


def resolve(ref: str, base: str, profile: Profile = "whatwg") -> str:
    """Returns the absolute form of a reference. A ValueError says why there is none.

    >>> resolve('../x', 'http://example.org/a/b/')
    'http://example.org/a/x'
    """
    if not isinstance(ref, str):
        raise TypeError(f"ref is {type(ref).__name__}, not str")
    with take(None) as instance:
        return instance.resolve(_reference(ref), *_on(base, profile)).decode()


def resolve_all(refs: Iterable[str], base: str, profile: Profile = "whatwg") -> List[Optional[str]]:
    """Returns the absolute forms of many references, which takes less time than a call for each.

    Where a reference has no absolute form, there is None.

    >>> resolve_all(['../x', 'y', '//['], 'http://example.org/a/b/')
    ['http://example.org/a/x', 'http://example.org/a/b/y', None]
    """
    if isinstance(refs, (str, bytes)):
        raise TypeError("refs is an iterable of strings, not a string")
    refs = list(refs)
    on = _on(base, profile)
    joined = "".join(refs)  # a TypeError if one is not a str
    if joined.isascii():
        data, lengths = joined.encode(), list(map(str.__len__, refs))  # a class may have a length of its own
    else:
        encoded = list(map(_reference, refs))
        data, lengths = b"".join(encoded), list(map(len, encoded))
    with take(None) as instance:
        found, ends = instance.resolve_all(data, lengths, *on)
    text: Any = found.decode() if found.isascii() else None
    start, urls = 0, []
    for end in ends:
        urls.append((text[start:end] if text is not None else found[start:end].decode()) or None)
        start = end + 1
    return urls


def _on(base: str, profile: str) -> Tuple[bytes, bytes]:
    """Returns what references are resolved on, as the library takes it."""
    return _line("base", base).encode(), _line("profile", profile).encode()


def _reference(ref: str) -> bytes:
    try:
        return ref.encode()
    except UnicodeEncodeError:  # half of a surrogate pair, which is U+FFFD
        return ref.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()
