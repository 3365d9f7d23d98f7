"""Makes every link in an HTML document absolute, and changes nothing else.

>>> import absolink
>>> absolink.rewrite('<a href=../style.css>', 'http://example.org/docs/guide.html')
'<a href=http://example.org/style.css>'

Links lead where browsers lead: the profile is "whatwg" by default, unlike in the command.
The first call starts the command "absolink serve" on a socket that this process alone can
reach, and the process takes it along when it ends. On Windows the package has the command
alone.
"""

from __future__ import annotations

import json
from typing import Any, Dict, Iterator, List, Optional, Sequence, TypeVar, Union, overload
from urllib.parse import urlencode

from ._server import LimitWarning, call, find_command

__all__ = ["LimitWarning", "Rewriter", "find_command", "places", "resolve", "rewrite"]

_Document = TypeVar("_Document", str, bytes)
_groups = {"html", "legacy", "meta", "lazy", "json", "modules", "comments", "allcomments"}


class Rewriter:
    """Keeps options for many documents. Any number of threads may use it at a time.

    profile: the standard to resolve by: "whatwg" (the default), "rfc1808" or "rfc3986".
    rules: groups of places ("html", "lazy", …) and rules ("img[data-zoom]=url", "-a[ping]").
    keep_fragments: keep references that are only a fragment, such as "#top".
    remove_base: remove the URL of every BASE, if a base is known.
    whole_document: let a BASE count wherever it stands, and not only in the head.
    ignore_saved: ignore the comments in which browsers leave the URL of a saved page.
    canonical: take the URL of link rel=canonical or og:url where nothing else gives a base.
    hold, max_tag: how many bytes of a document, or of one tag, may be held; they can be
        lowered from the defaults, 16 MiB and 1 MiB. A document that meets a limit gives a
        LimitWarning.

    A wrong option is a ValueError or a TypeError, at the first call that uses it.
    """

    def __init__(
        self,
        *,
        profile: str = "whatwg",
        rules: Optional[Sequence[str]] = None,
        keep_fragments: bool = False,
        remove_base: bool = False,
        whole_document: bool = False,
        ignore_saved: bool = False,
        canonical: bool = False,
        hold: Optional[int] = None,
        max_tag: Optional[int] = None,
    ) -> None:
        query: List[tuple[str, str]] = [("profile", profile)]
        if rules is not None:
            if isinstance(rules, str):
                raise TypeError("rules is a sequence of strings, not a string")
            query.append(("rules", ",".join(r for r in rules if r in _groups)))
            query += [("rule", r) for r in rules if r not in _groups]
        for name, value in [
            ("keep-fragments", keep_fragments),
            ("no-saved-from", ignore_saved),
            ("canonical", canonical),
        ]:
            if value:
                query.append((name, "true"))
        if remove_base:
            query.append(("base-tag", "remove"))
        if whole_document:
            query.append(("scope", "document"))
        for name, number in [("hold", hold), ("max-tag", max_tag)]:
            if number is not None:
                query.append((name, str(int(number))))
        self._query = urlencode(query)

    def rewrite(self, document: _Document, url: Optional[str] = None, *, charset: Optional[str] = None, sheet: bool = False) -> _Document:
        """Returns the document with its links absolute; everything else is as it was.

        The result is of the same kind: str or bytes. url is the URL that the document was
        retrieved from: the base of relative links if the document embeds none. charset is
        the charset parameter of its Content-Type, for bytes alone. sheet says that the
        document is a style sheet. A url that cannot be a base is a ValueError.
        """
        body, label = _encoded(document, charset)
        answer = call("/rewrite?" + self._parameters(url, sheet), _type(label, sheet), body)
        if isinstance(document, str):
            return answer.decode(label, "surrogatepass")
        return answer

    def places(self, document: Union[str, bytes], url: Optional[str] = None, *, charset: Optional[str] = None, sheet: bool = False) -> Iterator[Dict[str, Any]]:
        """Lists the places of a document: a dict for each, with the columns of "absolink list"."""
        body, label = _encoded(document, charset)
        answer = call("/list?" + self._parameters(url, sheet), _type(label, sheet), body)
        for line in answer.splitlines():
            place = json.loads(line)
            place.pop("file", None)
            yield place

    def _parameters(self, url: Optional[str], sheet: bool) -> str:
        query = self._query
        if url is not None:
            query += "&" + urlencode({"url": url})
        return query + "&type=" + ("css" if sheet else "html")


def _encoded(document: Union[str, bytes], charset: Optional[str]) -> tuple[bytes, Optional[str]]:
    """Returns a document as bytes, and their charset."""
    if isinstance(document, (bytes, bytearray, memoryview)):
        return bytes(document), charset
    if not isinstance(document, str):
        raise TypeError(f"the document is {type(document).__name__}, not str or bytes")
    if charset is not None:
        raise TypeError("charset is for bytes: a str has none")
    try:
        return document.encode(), "utf-8"
    except UnicodeEncodeError:  # halves of surrogate pairs, which UTF-16 has
        return document.encode("utf-16-le", "surrogatepass"), "utf-16-le"


def _type(charset: Optional[str], sheet: bool) -> str:
    kind = "text/css" if sheet else "text/html"
    if charset is None:
        return kind
    if not charset.isascii() or not charset.isprintable() or set(charset) & set('";, \\'):
        raise ValueError(f"no such charset: {charset!r}")
    return f"{kind}; charset={'utf-16le' if charset == 'utf-16-le' else charset}"


def rewrite(document: _Document, url: Optional[str] = None, *, charset: Optional[str] = None, sheet: bool = False, **options: Any) -> _Document:
    """Returns the document with its links absolute: see Rewriter and Rewriter.rewrite.

    >>> rewrite(b'<a href=x>', 'http://example.org/docs/', keep_fragments=True)
    b'<a href=http://example.org/docs/x>'
    """
    return Rewriter(**options).rewrite(document, url, charset=charset, sheet=sheet)


def places(document: Union[str, bytes], url: Optional[str] = None, *, charset: Optional[str] = None, sheet: bool = False, **options: Any) -> Iterator[Dict[str, Any]]:
    """Lists the places of a document: see Rewriter and Rewriter.places.

    >>> [place['url'] for place in places('<a href=x><img src=y>', 'http://example.org/')]
    ['http://example.org/x', 'http://example.org/y']
    """
    return Rewriter(**options).places(document, url, charset=charset, sheet=sheet)


def resolve(ref: str, base: str, profile: str = "whatwg") -> str:
    """Returns the absolute form of a reference. A ValueError says why there is none.

    >>> resolve('../x', 'http://example.org/a/b/')
    'http://example.org/a/x'
    """
    query = {"base": base, "profile": profile}
    if "\n" in ref or "\r" in ref:
        query["ref"] = ref
        answer = json.loads(call("/resolve?" + urlencode(query)))
    else:  # may be long, as a line of a body
        answer = json.loads(call("/resolve?" + urlencode(query), "text/plain", ref.encode() + b"\n"))
    if answer.get("error"):
        raise ValueError(answer["error"])
    return answer["url"]
