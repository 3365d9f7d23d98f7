"""The types of the package, by mypy and pyright: MYPY=1, and PYRIGHT names the program."""

import os
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest

GOOD = """
    from typing import AsyncIterator, Dict, Iterator, List, Optional, Set

    import absolink
    from absolink import Place, Rewriter


    def visit(place: Place) -> Optional[str]:
        n: int = place.offset
        rel: Optional[str] = place.rel
        return place.url if n else rel


    text: str = absolink.rewrite("x", "http://h/", profile="rfc1808", keep_fragments=True, rules=["html"], hold=10)
    data: bytes = absolink.rewrite(b"x", charset="latin1", sheet=True, visit=visit)
    more: bytes = absolink.rewrite(bytearray(b"x"))
    view: bytes = Rewriter(visit=lambda place: None, unresolvable=print, warn=lambda offset, message: None).rewrite(memoryview(b"x"))
    pieces: Iterator[bytes] = Rewriter().stream([b"x", b"y"], "http://h/")
    strings: Iterator[str] = Rewriter().stream(iter(["x"]))
    for place in absolink.places("x", canonical=True):
        url: Optional[str] = place.url
        columns = dict(place)
        by_name: Dict[str, object] = dict(place.items())
    absolute: str = absolink.resolve("x", "http://h/", "whatwg")
    path: str = absolink.find_command()
    version: str = absolink.__version__
    options: absolink.Options = {"profile": "whatwg"}
    text = absolink.rewrite("x", **options)
    feed: str = absolink.rewrite_feed("<rss>", item_base="feed", keep_fragments=True)
    feed_bytes: bytes = Rewriter().rewrite_feed(b"<rss>")
    strings = absolink.stream(["x"], "http://h/", visit=lambda place: place.attribute("class"))
    some: List[Optional[str]] = absolink.resolve_all(("x", "y"), "http://h/")


    rows: List[absolink.Row] = absolink.rows("x", "http://h/", keep=["y"])
    urls: List[Optional[str]] = [row.url for row in Rewriter().rows(b"x")] + absolink.columns("x")["url"]
    offsets: List[int] = Rewriter().columns("x")["offset"]
    set_of: Set[Place] = set(absolink.places("x"))
    element: str = next(absolink.places("x"))["element"]


    async def asynchronous(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        async for piece in absolink.astream(pieces, "http://h/", keep_fragments=True):
            yield piece
        async for piece in Rewriter().astream(pieces):
            yield piece


    def done(result: absolink.Result) -> None:
        base: Optional[str] = result.base
        n: int = result.rewritten + result.warnings


    text = absolink.rewrite("x", done=done)
"""

BAD = [
    'absolink.rewrite("x", profile="html5")',
    'absolink.rewrite("x", colour=1)',
    'absolink.rewrite(1)',
    'absolink.rewrite("x", b"http://h/")',
    'absolink.rewrite("x", "http://h/", True)',
    'x: bytes = absolink.rewrite("x")',
    'absolink.rewrite("x", visit=1)',
    'absolink.rewrite("x", visit=lambda: None)',
    'absolink.rewrite("x", visit=lambda place: 1)',
    'absolink.places("x", hold="10")',
    'absolink.Rewriter(profile="html5")',
    'absolink.Rewriter(colour=1)',
    'absolink.Rewriter().stream([1])',
    'absolink.resolve("x", "http://h/", "html5")',
    'next(absolink.places("x")).colour',
    'next(absolink.places("x"))["nosuch"]',
    'absolink.columns("x")["nosuch"]',
    'absolink.rows("x")[0].nosuch',
    'absolink.astream(["x"])',
]


class Types(unittest.TestCase):
    def check(self, lines):
        """Wants an error in each line of BAD, and no other."""
        with tempfile.TemporaryDirectory() as directory:
            with open(os.path.join(directory, "good.py"), "w") as f:
                f.write(textwrap.dedent(GOOD))
            with open(os.path.join(directory, "bad.py"), "w") as f:
                f.write("import absolink\n" + "\n".join(BAD) + "\n")
            out = lines(directory)
        found = re.findall(r"(\w+)\.py:(\d+)\b.*\berror\b", out)
        self.assertEqual([n for name, n in found if name == "good"], [], out)
        self.assertEqual({int(n) for name, n in found if name == "bad"}, set(range(2, 2 + len(BAD))), out)
        self.assertEqual({name for name, _ in found}, {"bad"}, out)

    @unittest.skipUnless(os.environ.get("MYPY"), "MYPY is not set")
    def test_mypy(self):
        mypy = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, "--no-error-summary"]
        self.check(lambda directory: subprocess.run([*mypy, "."], cwd=directory, stdout=subprocess.PIPE, text=True).stdout)
        own = subprocess.run([*mypy, "-p", "absolink"], stdout=subprocess.PIPE, text=True)
        self.assertEqual((own.returncode, own.stdout), (0, ""))

    @unittest.skipUnless(os.environ.get("PYRIGHT"), "PYRIGHT is not set")
    def test_pyright(self):
        pyright = [os.environ["PYRIGHT"], "--pythonpath", sys.executable]
        self.check(lambda directory: subprocess.run([*pyright, "."], cwd=directory, stdout=subprocess.PIPE, text=True).stdout)


if __name__ == "__main__":
    unittest.main()
