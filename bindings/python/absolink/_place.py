"""Places and results."""

from __future__ import annotations

import ctypes
import struct
from typing import Any, Callable, Iterator, List, Literal, Mapping, NamedTuple, Optional, Tuple, TypedDict

_layout = struct.Struct("@q" + "PN" * 9)  # struct absolink_place
_Column = Literal["offset", "element", "attr", "syntax", "rel", "text", "raw", "ref", "url", "error"]
_names: Tuple[_Column, ...] = ("element", "attr", "syntax", "rel", "text", "raw", "ref", "url", "error")
_columns = {name: 1 + 2 * i for i, name in enumerate(_names)}
_optional = {"attr", "rel", "text", "url", "error"}


_report = struct.Struct("@PNPN6q")  # struct absolink_report


class Result(NamedTuple):
    """What has been done with a document.

    base: the base URL that references were resolved against; None if none is known. Of a feed,
        it is the URL of the feed.
    source: where the base came from: "outer" (the caller), "embedded" (a BASE), "entity" (what
        the page is in), "saved" (the URL that a saved page names) or "none".
    rewritten, absolute, left, unresolvable: places by what became of them: how many were
        rewritten, were absolute already, stay relative or empty, or have no absolute form.
    removed: how many BASE elements had their URL removed.
    warnings: how often warn was called, or would have been.
    """

    base: Optional[str]
    source: str
    rewritten: int
    absolute: int
    left: int
    unresolvable: int
    removed: int
    warnings: int

    @classmethod
    def at(cls, address: int) -> Result:
        base, base_length, source, source_length, *counts = _report.unpack(ctypes.string_at(address, _report.size))
        return cls(ctypes.string_at(base, base_length).decode("utf-8", "replace") or None, ctypes.string_at(source, source_length).decode(), *counts)


def values_of(column: int, texts: bytes, lengths: List[int]) -> List[Any]:
    """Returns the values of a column: texts, with a NUL after each."""
    values: List[Any] = texts.decode("utf-8", "replace").split("\0")
    values.pop()
    if len(values) != len(lengths):  # there are other NULs
        start = 0
        for i, n in enumerate(lengths):
            values[i:] = [texts[start : start + n].decode("utf-8", "replace")]
            start += n + 1
    return [value or None for value in values] if _names[column] in _optional else values


class Row(NamedTuple):
    """A place as a tuple: the columns are those of a Place, and None where a place lacks one."""

    offset: int
    element: str
    attr: Optional[str]
    syntax: str
    rel: Optional[str]
    text: Optional[str]
    raw: str
    ref: str
    url: Optional[str]
    error: Optional[str]


class Columns(TypedDict):
    """Places in columns, as a DataFrame takes them: lists of the same length."""

    offset: List[int]
    element: List[str]
    attr: List[Optional[str]]
    syntax: List[str]
    rel: List[Optional[str]]
    text: List[Optional[str]]
    raw: List[str]
    ref: List[str]
    url: List[Optional[str]]
    error: List[Optional[str]]


class Place(Mapping[_Column, Any]):
    """A place: where a URL is written in a document.

    The columns are those of "absolink list". They are attributes, and the keys of a mapping,
    which lacks what is None: place.url and place["url"] are the same. dict(place) has them all.
    """

    __slots__ = ("_fields", "_start", "_bytes", "_asks")
    SIZE = _layout.size

    def __init__(self, address: int) -> None:
        # The texts stand one after another. They are copied at once, and decoded when asked for.
        self._fields = fields = _layout.unpack(ctypes.string_at(address, _layout.size))
        self._start = start = fields[1]
        self._bytes = ctypes.string_at(start, fields[17] + fields[18] - start)
        self._asks: Optional[Callable[[str], Optional[str]]] = None  # while a function is given the place

    def _text(self, i: int) -> str:
        at = self._fields[i] - self._start
        return self._bytes[at : at + self._fields[i + 1]].decode("utf-8", "replace")

    @property
    def offset(self) -> int:
        """Where raw is: in bytes from the start of the document, or of a str in UTF-8."""
        return self._fields[0]  # type: ignore[no-any-return]

    @property
    def element(self) -> str:
        """The name of the element, in lower case."""
        return self._text(1)

    @property
    def attr(self) -> Optional[str]:
        """The name of the attribute, in lower case; None for the text of an element."""
        return self._text(3) or None

    @property
    def syntax(self) -> str:
        """How the value is read: url, srcset, css, …"""
        return self._text(5)

    @property
    def rel(self) -> Optional[str]:
        """The value of the element's rel."""
        return self._text(7) or None

    @property
    def text(self) -> Optional[str]:
        """The text of a link; of places alone."""
        return self._text(9) or None

    @property
    def raw(self) -> str:
        """The reference as it stands in the document."""
        return self._text(11)

    @property
    def ref(self) -> str:
        """The reference, decoded and trimmed."""
        return self._text(13)

    @property
    def url(self) -> Optional[str]:
        """The absolute form; None if the value stays."""
        return self._text(15) or None

    @property
    def error(self) -> Optional[str]:
        """Why the reference has no absolute form."""
        return self._text(17) or None

    def attribute(self, name: str) -> Optional[str]:
        """Reads another attribute of the element; None if the element lacks it, or the place is in no tag.

        A ValueError says that visit or unresolvable, which was given the place, has returned, or
        that the place is of a list. A tag of more than 64 KiB may be known only in part.
        """
        if self._asks is None:
            raise ValueError("attribute reads a place while visit or unresolvable is given it, and not of a list")
        return self._asks(name)

    def __getstate__(self) -> Any:
        """A copy, also one for another process, is a place of a list."""
        return None, {"_fields": self._fields, "_start": self._start, "_bytes": self._bytes, "_asks": None}

    def __getitem__(self, name: _Column) -> Any:
        if name == "offset":
            return self._fields[0]
        text = self._text(_columns[name])
        if text == "" and name in _optional:
            raise KeyError(name)
        return text

    def __iter__(self) -> Iterator[_Column]:
        yield "offset"
        for name, i in _columns.items():
            if self._fields[i + 1] > 0 or name not in _optional:
                yield name

    def __hash__(self) -> int:
        return hash(tuple(self.items()))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"Place({dict(self)})"
