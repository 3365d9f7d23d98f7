"""Tests of the installed package: python -m unittest test_absolink.

ABSOLINK names the command, with whose output the package is compared.
"""

import asyncio
import concurrent.futures
import copy
import ctypes
import doctest
import glob
import gc
import multiprocessing
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
import warnings
import weakref
import zipapp
from unittest import mock

import absolink

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..", "..")
URL = "https://example.org/a/b?c"


def load_tests(loader, tests, pattern):
    tests.addTests(doctest.DocTestSuite(absolink))
    return tests


def in_worker(n):
    return absolink.rewrite(f"<a href={n}>", URL)


def run(*arguments, **options):
    """Runs a program in Python, and returns what it prints and what it says."""
    done = subprocess.run([sys.executable, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120, **options)
    return done.returncode, done.stdout, done.stderr


class Documents(unittest.TestCase):
    def test_rewrite(self):
        for document, options, want in [
            ("<a href=../style.css>é", {}, "<a href=https://example.org/style.css>é"),
            (b"<a href=\xe9>", {"charset": "latin1"}, b"<a href=https://example.org/a/%C3%A9>"),
            (bytearray(b"<a href=x>"), {}, b"<a href=https://example.org/a/x>"),
            (memoryview(b"<a href=x>"), {}, b"<a href=https://example.org/a/x>"),
            (memoryview(b"<-a- -h-r-e-f-=-x->-")[::2], {}, b"<a href=https://example.org/a/x>"),
            ("<a href=x>\ud800 \udc00😀", {}, "<a href=https://example.org/a/x>\ud800 \udc00😀"),
            ("<a href=x\udc00>", {}, "<a href=https://example.org/a/x%EF%BF%BD>"),
            ("\ufeff<a href=x>", {}, "\ufeff<a href=https://example.org/a/x>"),
            ("<img data-src=x><a ping=y>", {"rules": ["html", "lazy", "-a[ping]"]}, "<img data-src=https://example.org/a/x><a ping=y>"),
            ("<a href=x>", {"rules": []}, "<a href=x>"),
            ("a{b:url(x)}", {"sheet": True}, "a{b:url(https://example.org/a/x)}"),
            ("x" * 5_000_000 + "<a href=x>", {}, "x" * 5_000_000 + "<a href=https://example.org/a/x>"),
            ("é" * 2_000_000 + "<a href=x>", {}, "é" * 2_000_000 + "<a href=https://example.org/a/x>"),
            ("<a href=é?é>", {}, "<a href=https://example.org/a/%C3%A9?%C3%A9>"),
            ("<a href=é?é>слово", {"charset": "windows-1252"}, "<a href=https://example.org/a/%C3%A9?%E9>слово"),
            ("<a href=?表>", {"charset": "shift_jis"}, "<a href=https://example.org/a/b?%95\\>"),
            ("<meta charset=latin1><a href=?é>", {}, "<meta charset=latin1><a href=https://example.org/a/b?%C3%A9>"),
            ("", {}, ""),
            (b"", {}, b""),
            (b"\0<a href=x\0y>\0", {}, b"\0<a href=https://example.org/a/x\0y>\0"),
        ]:
            with self.subTest(document=document[:100], options=options):
                got = absolink.rewrite(document, URL, **options)
                self.assertEqual(got, want)
                self.assertIs(type(got), type(want))

    def test_names_of_encodings(self):
        """Python's names of encodings do as well as the labels of the Encoding Standard."""
        for names in [
            ["windows-1252", "latin1", "latin-1", "iso8859-1", "cp1252", "L1"],
            ["euc-kr", "cp949", "euc_kr", "ks_c_5601-1987", "uhc"],
            ["shift_jis", "cp932", "sjis", "x-sjis", "ms932"],
            ["big5", "big5hkscs", "big5-hkscs", "Big5"],
            ["gbk", "gb2312", "cp936"],
            ["macintosh", "mac-roman", "mac_roman", "x-mac-roman"],
            ["euc-jp", "euc_jp"],
            ["iso-2022-jp", "iso2022_jp"],
            ["windows-874", "cp874", "tis-620", "iso-8859-11"],
            ["utf-8", "utf8", "UTF-8", "utf_8", "utf-8-sig", "utf-16", "utf-16-le"],
            ["windows-1251", "cp1251"],
            ["koi8-r", "koi8_r"],
            ["iso-8859-16", "iso8859-16"],
        ]:
            page = "<a href='?é表слово€한Ș'>"
            found = {name: absolink.rewrite(page, URL, charset=name) for name in names}
            self.assertEqual(len(set(found.values())), 1, found)
            if names[0] != "utf-8":
                self.assertNotEqual(found[names[0]], absolink.rewrite(page, URL))

    def test_document_without_url(self):
        self.assertEqual(absolink.rewrite("<a href=x>"), "<a href=x>")
        self.assertEqual(absolink.rewrite("<base href=http://h/><a href=x>"), "<base href=http://h/><a href=http://h/x>")

    def test_a_changing_buffer_stays(self):
        document = bytearray(b"<a href=x>")
        absolink.rewrite(document, URL)
        document.append(0)  # nothing exports it any more

    def test_errors(self):
        for call, error, part in [
            (lambda: absolink.rewrite("x", "nonsense"), ValueError, "not an absolute URL"),
            (lambda: absolink.rewrite("x", ""), ValueError, "url is empty"),
            (lambda: absolink.rewrite("x", "http://h/\0"), ValueError, "NUL"),
            (lambda: absolink.rewrite("x", "http://h/" + "x" * 70_000), ValueError, "64 KiB"),
            (lambda: absolink.rewrite("x", b"http://h/"), TypeError, "url is bytes"),
            (lambda: absolink.rewrite(1, URL), TypeError, "not str or bytes"),
            (lambda: absolink.rewrite(b"x", URL, charset="utf-8\r\nX: y"), ValueError, "no such charset"),
            (lambda: absolink.rewrite(b"x", URL, charset=1), TypeError, "charset"),
            (lambda: absolink.rewrite(b"x", URL, sheet=1), TypeError, "sheet"),
            (lambda: absolink.Rewriter(profile="html5"), ValueError, "no such profile"),
            (lambda: absolink.Rewriter(profile=1), TypeError, "profile"),
            (lambda: absolink.Rewriter(rules=["nope"]), ValueError, '"nope": it is neither a group [(]html, '),
            (lambda: absolink.Rewriter(rules=["-a[ping]"]), ValueError, "name the groups to remove from"),
            (lambda: absolink.Rewriter(rules=["html\nhold=1"]), ValueError, "newline"),
            (lambda: absolink.Rewriter(rules="html"), TypeError, "sequence of strings"),
            (lambda: absolink.Rewriter(rules=[1]), TypeError, "rule"),
            (lambda: absolink.Rewriter(keep="{{*}}"), TypeError, "sequence of strings"),
            (lambda: absolink.Rewriter(keep=[1]), TypeError, "pattern"),
            (lambda: absolink.Rewriter(keep=["x\nhold=1"]), ValueError, "newline"),
            (lambda: absolink.Rewriter(keep=[""]), ValueError, "is empty"),
            (lambda: absolink.Rewriter(keep=["x\\"]), ValueError, "has a backslash"),
            (lambda: absolink.Rewriter(hold=0), ValueError, "hold"),
            (lambda: absolink.Rewriter(hold=1 << 40), ValueError, "hold"),
            (lambda: absolink.Rewriter(max_tag="10"), TypeError, "max_tag"),
            (lambda: absolink.Rewriter(keep_fragments="no"), TypeError, "keep_fragments"),
            (lambda: absolink.Rewriter(visit=1), TypeError, "visit"),
            (lambda: absolink.Rewriter(colour=1), TypeError, "colour"),
            (lambda: absolink.places("x", URL, colour=1), TypeError, "colour"),
            (lambda: absolink.places("x", "nonsense"), ValueError, "not an absolute URL"),
            (lambda: absolink.Rewriter().stream([], "nonsense"), ValueError, "not an absolute URL"),
            (lambda: absolink.Rewriter().stream("x"), TypeError, "pieces is str, and not an iterable of pieces"),
            (lambda: absolink.Rewriter().stream(b"x"), TypeError, "pieces is bytes, and not"),
            (lambda: absolink.Rewriter().stream(memoryview(b"x")), TypeError, "pieces is memoryview, and not"),
            (lambda: list(absolink.Rewriter().stream(["x", b"y"])), TypeError, "others are bytes"),
            (lambda: list(absolink.Rewriter().stream([b"x", 1])), TypeError, "not str or bytes"),
            (lambda: absolink.resolve("//[x", URL), ValueError, r"\[x"),
            (lambda: absolink.resolve("x", "y"), ValueError, "not an absolute URL"),
            (lambda: absolink.resolve("x", URL, "html5"), ValueError, "no such profile"),
            (lambda: absolink.resolve(b"x", URL), TypeError, "ref is bytes"),
        ]:
            with self.assertRaisesRegex(error, part):
                call()
        self.assertEqual(absolink.rewrite("<a href=x>", URL), "<a href=https://example.org/a/x>")

    def test_resolve(self):
        for ref, want in [("x", "https://example.org/a/x"), ("", URL), ("a\nb\r", "https://example.org/a/ab"), ("é", "https://example.org/a/%C3%A9"), ("\ud800", "https://example.org/a/%EF%BF%BD"), ("x" * 500_000, "https://example.org/a/" + "x" * 500_000)]:
            self.assertEqual(absolink.resolve(ref, URL), want)
        self.assertEqual(absolink.resolve("http:x", "http://h/a/", "rfc1808"), "http:x")

    def test_resolve_all(self):
        for refs in [[], ["x"], ["../x", "//[", "", "?a", "//h/"], ["é", "😀", "\ud83d", "\ude00", "a\0b", "x" * 100000]]:
            for profile in ["whatwg", "rfc1808", "rfc3986"]:
                want = []
                for ref in refs:
                    try:
                        want.append(absolink.resolve(ref, URL, profile))
                    except ValueError:
                        want.append(None)
                self.assertEqual(absolink.resolve_all(iter(refs), URL, profile), want)

        class Wide(str):
            def __len__(self):
                return 2 * len(str(self)) + (10_000_000 if self.startswith("x") else 0)

        self.assertEqual(absolink.resolve_all([Wide("y"), "z", Wide("x")], URL), ["https://example.org/a/y", "https://example.org/a/z", "https://example.org/a/x"])
        for arguments, error in [(("x", URL), TypeError), (([b"x"], URL), TypeError), (([1], URL), TypeError), ((["x"], "y"), ValueError), ((["x"], URL, "html5"), ValueError), ((["x"], None), TypeError)]:
            with self.assertRaises(error):
                absolink.resolve_all(*arguments)

    def test_places(self):
        found = list(absolink.places('<link rel=icon href=i><a href="x &amp; y">t é</a><img src=//[>', URL))
        self.assertEqual(found[:2], [
            {"offset": 20, "element": "link", "attr": "href", "syntax": "url", "rel": "icon", "raw": "i", "ref": "i", "url": "https://example.org/a/i"},
            {"offset": 31, "element": "a", "attr": "href", "syntax": "url", "text": "t é", "raw": "x &amp; y", "ref": "x & y", "url": "https://example.org/a/x%20&%20y"},
        ])
        a, bad = found[1:]
        for name in ["offset", "element", "attr", "syntax", "rel", "text", "raw", "ref", "url", "error"]:
            for place in found:
                self.assertEqual(getattr(place, name), place.get(name), name)
        self.assertEqual((a.rel, a.get("rel"), "rel" in a, len(a)), (None, None, False, 8))
        self.assertIsNone(bad.url)
        self.assertIn("closing bracket", bad.error)
        with self.assertRaises(KeyError):
            bad["url"]
        self.assertEqual(pickle.loads(pickle.dumps(a)), a)
        self.assertIn("'ref': 'x & y'", repr(a))

    def test_columns_and_rows(self):
        page = "<link rel=icon href=i><a href='x\0&amp;é'>t é</a><a href='//['><p style='a:url(b)'>\ud800<a href=/>"
        for document in (page, page.encode("utf-8", "surrogatepass"), b"", b"no links", page * 3000):
            for options in ({}, {"rules": []}, {"profile": "rfc1808"}):
                places = list(absolink.places(document, URL, **options))
                rows = absolink.rows(document, URL, **options)
                self.assertEqual([{name: value for name, value in row._asdict().items() if value is not None} for row in rows], [dict(place) for place in places])
                columns = absolink.columns(document, URL, **options)
                self.assertEqual(list(columns), list(absolink.Row._fields))
                self.assertEqual(list(zip(*columns.values())), rows)
                for name, values in columns.items():
                    self.assertEqual(values, [getattr(place, name) for place in places])
        self.assertRaisesRegex(ValueError, "url is empty", absolink.columns, "x", "")
        self.assertRaisesRegex(ValueError, "url is empty", absolink.Rewriter().rows, "x", "")

    def test_places_in_sets(self):
        places = [*absolink.places("<a href=x><a href=y>", URL), *absolink.places("<a href=x>", URL)]
        self.assertEqual(len(set(places)), 2)
        self.assertEqual(places[0], places[2])
        self.assertEqual(hash(places[0]), hash(places[2]))
        self.assertRaises(KeyError, lambda: places[0]["nosuch"])

    def test_places_in_pieces(self):
        page = "<p>" + "text " * 100_000 + "<a href=x>é</a>"
        places = absolink.places(page * 5, URL)
        self.assertEqual([next(places).offset for _ in range(5)], [500_011 + 500_019 * i for i in range(5)])
        self.assertEqual(list(places), [])

    def test_hostile(self):
        million = 1 << 20
        for document in [
            '<a href="//' + "\ufdfa" * 340_000 + '">',
            "<" * million,
            "<a " + "x=y " * (million // 4) + ">",
            "<a href=x>" * (million // 10),
            '<iframe srcdoc="' + "<iframe srcdoc=&quot;" * 40_000,
            "<a href=x>" + "<!--x-->" * (million // 8),
            '<img srcset="' + "a 1x," * (million // 5) + '">',
        ]:
            self.assertGreaterEqual(len(absolink.rewrite(document, URL)), len(document) * 0.9)


class Streams(unittest.TestCase):
    def test_pieces(self):
        page = "<p title='é'>\ud800<a href=x>😀</a>" * 500
        want = absolink.rewrite(page, URL)
        data = page.encode("utf-8", "surrogatepass")
        rewriter = absolink.Rewriter()
        for n in [1, 7, 1000, 1 << 20]:
            text = list(rewriter.stream((page[i : i + n] for i in range(0, len(page), n)), URL))
            self.assertEqual("".join(text), want)
            for kind in [bytes, bytearray, memoryview]:
                got = b"".join(rewriter.stream((kind(data[i : i + n]) for i in range(0, len(data), n)), URL, charset="utf-8"))
                self.assertEqual(got.decode("utf-8", "surrogatepass"), want)
        self.assertEqual(list(rewriter.stream([])), [])
        self.assertEqual(list(rewriter.stream(["", "<a href=x>"], URL)), ["<a href=https://example.org/a/x>"])

    def test_comes_as_it_goes(self):
        asked = []

        def pieces():
            for i in range(100):
                asked.append(i)
                yield b"<a href=x>" + b"text " * 20_000

        out = absolink.Rewriter().stream(pieces(), URL)
        self.assertEqual(asked, [])
        next(out)
        self.assertLess(len(asked), 4)
        self.assertEqual(sum(map(len, out)) > 9_000_000, True)

    def test_given_up(self):
        rewriter = absolink.Rewriter()
        for _ in range(40):
            out = rewriter.stream((b"<p>" * 100_000 for _ in range(100)), URL)
            next(out)
            out.close()
            del out
        with self.assertRaisesRegex(ZeroDivisionError, "division"):
            list(rewriter.stream((1 / 0 for _ in [1]), URL))
        self.assertEqual(rewriter.rewrite("<a href=x>", URL), "<a href=https://example.org/a/x>")

    def test_memory(self):
        code = f"""
            import absolink, re
            piece = (b'<p>text <a href=page>link</a> text</p>' * 2000)
            n = sum(len(out) for out in absolink.Rewriter().stream((piece for _ in range(600)), '{URL}'))
            print(n > 45_000_000, re.search(r'VmHWM:\\s*(\\d+)', open('/proc/self/status').read())[1])
        """
        _, out, err = run("-c", textwrap.dedent(code))
        whole, peak = out.split()
        self.assertEqual((whole, err), ("True", ""))
        self.assertLess(int(peak), 64 << 10)

    def test_many_streams(self):
        """Streams without functions share instances."""
        code = f"""
            import absolink
            def used(): return int(open('/proc/self/statm').read().split()[1]) * 4096 >> 20
            rewriter = absolink.Rewriter()
            rewriter.rewrite('<a href=x>', '{URL}')
            before = used()
            streams = [rewriter.stream(iter([b'<body><p><a href=%d>' % n] * 3), '{URL}') for n in range(1000)]
            firsts = [next(out) for out in streams]
            print(used() - before < 100)
            print(all(first + b''.join(out) == b'<body><p><a href=https://example.org/a/%d>' % n * 3 for n, (first, out) in enumerate(zip(firsts, streams))))
            lists = [rewriter.places('<a href=x>' * 10000, '{URL}') for _ in range(50)]
            print([len(list(places)) for places in lists if next(places)] == [9999] * 50)
        """
        self.assertEqual(run("-c", textwrap.dedent(code)), (0, "True\nTrue\nTrue\n", ""))

    def test_streams_that_share(self):
        """What goes wrong with one stream ends no other, and threads may take turns with one."""
        rewriter, tags = absolink.Rewriter(), ["<body>", "<a href=x>", "<a href=y>"]
        want = "<body><a href=https://example.org/a/x><a href=https://example.org/a/y>"
        beside = rewriter.stream(iter(tags), URL)
        begun = next(beside)
        for options in [{}, {"keep_fragments": True}]:
            other = absolink.Rewriter(**options).stream(iter(tags), URL)
            next(other)
            del other
            with self.assertRaises(ZeroDivisionError):
                list(absolink.Rewriter(**options).stream((1 / 0 if n else "<body>" for n in range(2)), URL))
            with self.assertRaises(TypeError):
                list(absolink.Rewriter(**options).stream(["<a href=x>", b"y"], URL))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertRaises(absolink.LimitWarning):
                list(absolink.stream(["<link href=x>" * 100, "<p>"], URL, hold=100))
        out = absolink.rewrite("<a href=z>", URL, visit=lambda place: next(beside).partition("=")[2][:-1])
        self.assertEqual(out, "<a href=https://example.org/a/x>")
        self.assertEqual(begun + out + "".join(beside), want)

        streams = [rewriter.stream(iter(tags * 100), URL) for _ in range(20)]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for n in range(4):
                parts = list(pool.map(lambda out: "".join(part for _, part in zip(range(50), out)), streams))
                wholes = parts if n == 0 else [whole + part for whole, part in zip(wholes, parts)]
        self.assertEqual([whole + "".join(out) for whole, out in zip(wholes, streams)], [want * 100] * 20)

    def test_a_stream_that_ends_while_another_begins(self):
        """The collector may end the only stream of an instance that another stream is given."""
        code = f"""
            import absolink
            from absolink import _library
            def memory(a, real=_library._memory):
                beside.close()
                return real(a)
            beside = absolink.stream(iter(['<a href=x>', '']), '{URL}')
            next(beside)
            _library._memory = memory
            print(list(absolink.stream(['<a href=x>'], '{URL}')))
        """
        self.assertEqual(run("-c", textwrap.dedent(code)), (0, "['<a href=https://example.org/a/x>']\n", ""))

    def test_between_any_two_lines(self):
        """Whatever the collector or a signal handler does in the middle of a call, no byte of a document is lost or another one's."""
        from absolink import _library

        functions = [getattr(f, "__func__", f) for kind in (_library.Shared, _library.Stream, _library.Instance) for f in vars(kind).values()]
        codes = {f.__code__ for f in [*functions, _library.take] if hasattr(f, "__code__")}

        def run(act, at):
            """Runs act before a line of a call. Returns what documents become, and whether act has run."""
            beside, other = (absolink.stream(iter(["<body>", "<a href=b>"]), URL) for _ in range(2))
            acted, lines = [], iter(range(at + 1))

            def trace(frame, event, _):
                if event == "line" and next(lines, None) == at:
                    sys.settrace(None)
                    acted.append(act(beside, other))
                return trace if frame.f_code in codes else None

            next(beside)
            next(other)
            sys.settrace(trace)
            try:
                made = [*absolink.stream(["<body>", "<a href=x>"], URL), absolink.rewrite("<a href=y>", URL), absolink.rows("<a href=z>", URL)[0].url]
            finally:
                sys.settrace(None)
            beside.close()
            other.close()
            idle = [id(i) for i in _library._idle]
            self.assertEqual(len(idle), len(set(idle)))
            return made, acted

        def reads(beside, _):
            try:
                return next(beside)
            except RuntimeError as error:
                return str(error)

        read = ["<a href=https://example.org/a/b>"]
        for act, wants in [
            (lambda beside, other: [beside.close(), other.close()], [[None, None]]),
            (lambda *_: list(absolink.stream(["<a href=b>"], URL)), [read]),
            (lambda *_: [p.url for p in absolink.places("<a href=b>", URL, profile="rfc1808")], [["https://example.org/a/b"]]),
            (reads, [*read, "this document cannot go on in the middle of a call about another one"]),
        ]:
            for at in range(1000):
                made, acted = run(act, at)
                self.assertEqual(made, ["<body>", "<a href=https://example.org/a/x>", "<a href=https://example.org/a/y>", "https://example.org/a/z"], at)
                if not acted:
                    break
                self.assertIn(acted[0], wants, at)
            self.assertGreater(at, 100)

    def test_a_shared_instance_that_ends(self):
        code = f"""
            import absolink, resource
            resource.setrlimit(resource.RLIMIT_AS, (600 << 20, resource.RLIM_INFINITY))
            rewriter = absolink.Rewriter(hold=1 << 30)
            beside = rewriter.stream(iter(['<body>', '<a href=x>']), '{URL}')
            next(beside)
            for stream in rewriter.stream(['<link href=x>' * 100_000] * 200, '{URL}'), beside:
                try:
                    list(stream)
                except RuntimeError as error:
                    print(str(error)[:45])
            print(list(rewriter.stream(['<a href=x>'], '{URL}')))
        """
        code, out, err = run("-c", textwrap.dedent(code))
        self.assertEqual((out.splitlines(), err, code), (["absolink has stopped working on this document", "absolink has stopped working on another docum", "['<a href=https://example.org/a/x>']"], "", 0))


class Asynchronous(unittest.TestCase):
    def test_astream(self):
        async def each(pieces):
            for piece in pieces:
                await asyncio.sleep(0)
                yield piece

        async def collect(pieces, of, **options):
            return [piece async for piece in of(each(pieces), URL, **options)]

        page = "<title>é</title><a href=x?é>\N{GRINNING FACE}\ud800<img srcset='a, b'>" * 20
        for size in (1, 2, 3, 1000):
            for document in (page, page.encode("utf-8", "surrogatepass")):
                pieces = [document[i : i + size] for i in range(0, len(document), size)]
                want = list(absolink.stream(pieces, URL, charset="windows-1252"))
                self.assertEqual(asyncio.run(collect(pieces, absolink.astream, charset="windows-1252")), want)
                self.assertEqual(asyncio.run(collect(pieces, absolink.Rewriter().astream, charset="windows-1252")), want)
        self.assertEqual(asyncio.run(collect([], absolink.astream)), [])
        self.assertRaisesRegex(TypeError, "not an asynchronous iterable", absolink.astream, ["x"], URL)
        self.assertRaisesRegex(TypeError, "pieces is", absolink.astream, "x", URL)
        self.assertRaisesRegex(ValueError, "url is empty", absolink.astream, each([]), "")
        with self.assertRaisesRegex(TypeError, "some pieces are str"):
            asyncio.run(collect(["x", b"y"], absolink.astream))

    def test_many_at_a_time(self):
        """Each of many streams has its own document, and those that are given up leave nothing."""

        async def each(n):
            for i in range(10):
                yield b"<a href=%d-%d>" % (n, i)
                await asyncio.sleep(0)

        async def one(n):
            out = b""
            async for piece in absolink.astream(each(n), f"http://h{n}/"):
                out += piece
                if n % 3 == 0:
                    break
            return n % 3 == 0 or out == b"".join(b"<a href=http://h%d/%d-%d>" % (n, n, i) for i in range(10))

        async def main():
            return await asyncio.gather(*map(one, range(300)))

        self.assertEqual(set(asyncio.run(main())), {True})
        self.assertEqual(asyncio.run(main()).count(True), 300)


class Functions(unittest.TestCase):
    def test_visit(self):
        given = {"a": None, "b": "", "c": "http://h/?é&'\"", "d": "x y"}
        got = absolink.rewrite("<a href=a><a href=b><a href='c'><a href=d>", URL, visit=lambda place: given[place.ref])
        self.assertEqual(got, "<a href=https://example.org/a/a><a href=b><a href='http://h/?&#xE9;&amp;&#39;&quot;'><a href=x%20y>")

    def test_places_outlive_the_call(self):
        kept = []
        absolink.rewrite("<a href=x>" * 1000, URL, visit=lambda place: kept.append(place))
        self.assertEqual({(place.ref, place.url) for place in kept}, {("x", "https://example.org/a/x")})

    def test_places_are_copied(self):
        """Copies, which other threads and processes get, are places of a list at any time."""
        copies, refused = [], []

        def visit(place):
            copies.extend([copy.copy(place), pickle.loads(pickle.dumps(place))])
            for other in copies:
                with self.assertRaisesRegex(ValueError, "not of a list"):
                    other.attribute("id")
                refused.append(other)

        absolink.rewrite("<a id=1 href=x><a id=2 href=y>", URL, visit=visit)
        self.assertEqual([place.url[-1] for place in copies], ["x", "x", "y", "y"])
        self.assertEqual(len(refused), 6)

    def test_unresolvable(self):
        told = []
        absolink.rewrite("<a href=x><a href=//[>", URL, unresolvable=told.append)
        list(absolink.places("<a href=//]>", URL, unresolvable=told.append))
        self.assertEqual([place.ref for place in told], ["//[", "//]"])

    def test_warn(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for page, offset, part in [(Limits.PAGE, 11, "than may be held"), ("<base href=javascript:x><a href=x>", 0, "BASE")]:
                told = []
                absolink.rewrite(page, URL, hold=10, warn=lambda *arguments: told.append(arguments))
                self.assertEqual([at for at, _ in told], [offset])
                self.assertIn(part, told[0][1])
            absolink.rewrite(page, URL)  # is not what a limit left out

    def test_attributes(self):
        page = '<a class="é &amp; y" href=x><body><img src=y DATA-N=1><style>a{b:url(z)}</style><a id=i href="http://[">'
        kept, read = [], []

        def reads(place):
            kept.append(place)
            read.append((place.ref, *(place.attribute(name) for name in ("class", "data-N", "id", "href", "a\0b", "\ud800"))))

        want = [("x", "é & y", None, None, "x", None, None), ("y", None, "1", None, None, None, None), ("z", *[None] * 6), ("http://[", None, None, "i", "http://[", None, None)]
        self.assertEqual(absolink.rewrite(page, URL, visit=reads), absolink.rewrite(page, URL))
        list(absolink.stream(list(page), URL, visit=reads))
        self.assertEqual(read, want * 2)
        del read[:]
        absolink.rewrite(page, URL, unresolvable=reads)
        self.assertEqual(read, want[3:])
        for place in kept:
            with self.assertRaisesRegex(ValueError, "while visit or unresolvable"):
                place.attribute("href")
        for place in absolink.places(page, URL):
            with self.assertRaisesRegex(ValueError, "not of a list"):
                place.attribute("href")
        del read[:]

        def nested(place):
            absolink.rewrite("<a id=inner href=x>", URL, visit=lambda inner: read.append(inner.attribute("id")))
            read.append(place.attribute("id"))
            with self.assertRaisesRegex(ValueError, "in the thread"):
                threaded(place.attribute, "id")

        def threaded(f, *arguments):
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                return pool.submit(f, *arguments).result()

        absolink.rewrite("<a id=1 href=x><a id=2 href=y>", URL, visit=nested)
        self.assertEqual(read, ["inner", "1", "inner", "2"])
        total = []
        absolink.rewrite(f"<a title='{'t' * 2000}' href=x>" * 5000, URL, visit=lambda place: total.append(len(place.attribute("title"))))
        self.assertEqual(total, [2000] * 5000)

    def test_done(self):
        page = '<base href=//b><a href=x><a href=http://c/><a href=//[><img src=y>'
        results = []
        rewriter = absolink.Rewriter(remove_base=True, done=results.append)
        rewriter.rewrite(page, URL)
        rewriter.rewrite(page + " " * (3 << 20), URL)
        list(rewriter.stream([page[:9], page[9:]], URL))
        list(rewriter.places(page, URL))
        self.assertEqual(results, [absolink.Result("https://b/", "embedded", 2, 1, 0, 1, 1, 0)] * 4)
        del results[:]
        rewriter.rewrite_feed("<rss><channel><link>x</link></channel></rss>", URL)
        rewriter.rewrite("<rss><a href=x>")
        self.assertEqual(results, [absolink.Result(URL, "outer", 1, 0, 0, 0, 0, 0), absolink.Result(None, "none", 0, 0, 1, 0, 0, 1)])
        del results[:]
        with self.assertRaises(ZeroDivisionError):
            absolink.rewrite(page, URL, done=lambda result: 1 / 0)
        with self.assertRaises(ZeroDivisionError):
            absolink.rewrite(page, URL, visit=lambda place: 1 / 0, done=results.append)
        self.assertEqual(results, [])
        with self.assertRaisesRegex(TypeError, "done"):
            absolink.Rewriter(done=1)

    def test_feeds(self):
        feed = '<?xml version="1.0" encoding="latin1"?><rss><channel><item><link>/l/</link><description>&lt;a href="?é"></description></item></channel></rss>'
        linked = feed.replace("/l/", "https://example.org/l/")
        for options, want in [({}, "l/?%C3%A9"), ({"charset": "latin1"}, "l/?%E9"), ({"item_base": "feed"}, "a/b?%C3%A9")]:
            want = linked.replace("?é", "https://example.org/" + want)
            self.assertEqual(absolink.rewrite_feed(feed, URL, **options), want)
            self.assertEqual(absolink.Rewriter().rewrite_feed(feed, URL, **options), want)
        latin = feed.encode("latin1")
        self.assertEqual(absolink.rewrite_feed(latin, URL), linked.replace("?é", "https://example.org/l/?%E9").encode("latin1"))
        self.assertEqual(absolink.rewrite_feed(memoryview(latin), URL, keep_fragments=True), absolink.rewrite_feed(latin, URL))
        for options, part in [({"item_base": "page"}, "item_base"), ({"sheet": True}, "sheet")]:
            with self.assertRaisesRegex((ValueError, TypeError), part):
                absolink.rewrite_feed(feed, URL, **options)
        # As HTML, a feed is told at every door.
        for read in (absolink.rewrite, lambda *a, **o: list(absolink.stream([a[0][:5], a[0][5:]], a[1], **o)), lambda *a, **o: list(absolink.places(*a, **o))):
            told = []
            read(feed, URL, warn=lambda offset, message: told.append((offset, message)))
            self.assertEqual(told, [(0, "the document is a feed, and is read as HTML: rewrite it as a feed")])
            with self.assertWarnsRegex(UserWarning, "rewrite_feed") as caught:
                read(feed, URL)
            self.assertEqual(caught.filename, __file__)
        with self.assertWarnsRegex(UserWarning, "merge tag.*keep leaves"):
            self.assertEqual(absolink.rewrite("<a href={{x}}>", URL, profile="rfc1808"), "<a href=https://example.org/a/{{x}}>")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            absolink.rewrite("<a href={{x}}>", URL, keep=["{{*"])
            absolink.rewrite("<p><rss>", URL)
            absolink.rewrite("<rss>", URL, sheet=True)

    def test_exceptions(self):
        class Mine(BaseException):
            pass

        page = "<link href=x><title>t</title>" + "<a href=//[>" * 3
        for name in ["visit", "unresolvable", "warn"]:
            for error in [ValueError("x"), Mine(), KeyboardInterrupt(), SystemExit(3), StopIteration(), GeneratorExit()]:
                calls = []

                def f(*arguments):
                    calls.append(arguments)
                    raise error

                rewriter = absolink.Rewriter(hold=10, **{name: f})
                for call in [
                    lambda: rewriter.rewrite(page, URL),
                    lambda: rewriter.rewrite(page.encode() * 100_000, URL),
                    lambda: absolink.rewrite(page, URL, hold=10, **{name: f}),
                ]:
                    del calls[:]
                    with self.assertRaises(type(error)) as raised:
                        call()
                    self.assertIs(raised.exception, error)
                    self.assertEqual(len(calls), 1)
                    self.assertIsNone(error.__context__)
        self.assertEqual(absolink.rewrite("<a href=x>", URL), "<a href=https://example.org/a/x>")

    def test_no_async(self):
        async def visit(place):
            pass

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertRaisesRegex(TypeError, "cannot be async"):
                absolink.rewrite("<a href=x>", URL, visit=visit)
            gc.collect()

    def test_a_wrong_result_stays_as_it_is(self):
        with open(os.devnull) as f:
            with self.assertRaisesRegex(TypeError, "neither str nor None"):
                absolink.rewrite("<a href=x>", URL, visit=lambda place: f)
            self.assertFalse(f.closed)

    def test_an_instance_ends_without_the_collector(self):
        from absolink import _library

        def visit(place):
            raise KeyError

        absolink.rewrite("x", URL)
        gc.collect()
        gc.disable()
        try:
            for _ in range(10):
                with self.assertRaises(KeyError):
                    absolink.rewrite("<a href=x>", URL, visit=visit)
            self.assertEqual([o for o in gc.get_objects() if isinstance(o, _library._Told) and o not in [i._told for i in _library._idle]], [])
        finally:
            gc.enable()

    def test_nested(self):
        def visit(place, depth=5):
            if depth > 0:
                inner = absolink.rewrite(f"<a href={place.ref}>", URL, visit=lambda p: visit(p, depth - 1))
                self.assertIn("https://", inner)
            return absolink.resolve("y", place.url)

        self.assertEqual(absolink.rewrite("<a href=x><a href=z>", URL, visit=visit), "<a href=https://example.org/a/y><a href=https://example.org/a/y>")

    def test_nested_without_end(self):
        deep = 0

        def visit(place):
            nonlocal deep
            deep += 1
            absolink.rewrite("<a href=x>", URL, visit=visit)

        for _ in range(2):
            deep = 0
            with self.assertRaisesRegex(RecursionError, "functions of the options call absolink within calls of absolink, 16 deep"):
                absolink.rewrite("<a href=x>", URL, visit=visit)
            self.assertEqual(deep, 16)

    def test_nothing_is_kept(self):
        class Big:
            def __call__(self, place):
                return None

        big = Big()
        there = weakref.ref(big)
        absolink.rewrite("<a href=x>", URL, visit=big)
        del big
        gc.collect()
        self.assertIsNone(there())


class Limits(unittest.TestCase):
    PAGE = "<link href=x><title>title</title><base href=/b/>"
    HEAD = "byte 11: the head goes on from here for more bytes than may be held; a BASE after that does not count (hold raises the limit)"

    def test_limits(self):
        tag = f"byte {len(self.PAGE)}: the tag or text is longer than may be held; it stays as it is (max_tag raises the limit)"
        rule = "byte 0: a rule of the style sheet is longer than may be held; the sheet stays as it is from here on (max_tag raises the limit)"
        for document, options, want in [
            (self.PAGE, {}, []),
            (self.PAGE, {"hold": 10}, [self.HEAD]),
            (self.PAGE + "<p>" * (1 << 20), {"hold": 10}, [self.HEAD]),
            (self.PAGE + ("<a href=x title='%s'>" % ("x" * 100)) * 9, {"hold": 10, "max_tag": 100}, [self.HEAD, tag]),
            ("a{b:url(x)" + " " * 70_000, {"sheet": True, "max_tag": 100}, [rule]),
        ]:
            about = {"sheet": options["sheet"]} if "sheet" in options else {}
            rewriter = absolink.Rewriter(**{k: v for k, v in options.items() if k != "sheet"})
            for call in [
                lambda: rewriter.rewrite(document, URL, **about),
                lambda: list(rewriter.places(document, URL, **about)),
                lambda: list(rewriter.stream([document[:20], document[20:]], URL, **about)),
                lambda: absolink.rewrite(document, URL, **options),
                lambda: list(absolink.places(document, URL, **options)),
            ]:
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    call()
                told = [(str(w.message), w.category, w.filename) for w in caught]
                self.assertEqual(told, [(f"{URL}, {text}", absolink.LimitWarning, __file__) for text in want])

    def test_every_limit_is_shown(self):
        program = f"import absolink\nfor url in [None, None, 'http://u' ':p@h/1', 'http://h/2', 'http://h/2']: absolink.rewrite('{self.PAGE}', url, hold=10)\n"
        for options, part, want in [([], "", 5), (["-W", "ignore"], "", 0), (["-W", "once"], "http://h/2", 1)]:
            code, _, err = run(*options, "-c", program)
            told = [line for line in err.splitlines() if "LimitWarning" in line and part in line]
            self.assertEqual((code, len(told)), (0, want), err)
            self.assertNotIn("u:p", err)
        code, _, err = run("-W", "error", "-c", program)
        self.assertEqual((code, err.count("LimitWarning: byte 11")), (1, 1), err)


@unittest.skipUnless(hasattr(os, "fork"), "no fork")
class Processes(unittest.TestCase):
    def test_threads(self):
        rewriter = absolink.Rewriter(keep_fragments=True)
        seen = []

        def work(thread):
            for n in range(2000):
                if rewriter.rewrite(f"<a href={thread}/{n}>", URL) != f"<a href=https://example.org/a/{thread}/{n}>":
                    seen.append((thread, n))

        threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(seen, [])

    def test_threads_with_functions(self):
        def work(i):
            told = []
            got = absolink.rewrite("<a href=x>" * 50, URL, visit=lambda place: told.append(place) or f"http://{i}/")
            return got == f"<a href=http://{i}/>" * 50 and len(told) == 50

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            self.assertTrue(all(pool.map(work, range(400))))

    def test_small_stacks(self):
        before = threading.stack_size(128 << 10)
        try:
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                self.assertEqual(pool.submit(in_worker, 1).result(), "<a href=https://example.org/a/1>")
        finally:
            threading.stack_size(before)

    def test_other_threads_run(self):
        page = b"<p>text <a href=x>link</a>" * 200_000
        ticks = []
        done = threading.Event()

        def tick():
            while not done.is_set():
                ticks.append(time.perf_counter())
                time.sleep(0.0005)

        thread = threading.Thread(target=tick)
        thread.start()
        begun = time.perf_counter()
        absolink.rewrite(page, URL)
        ended = time.perf_counter()
        done.set()
        thread.join()
        self.assertGreater(sum(begun < t < ended for t in ticks), 3)

    def test_long_work_lets_other_threads_run(self):
        """A call that may work on more than 4 KB does not keep the GIL, however short its own piece."""
        from absolink import _library

        released = []

        def noting(name):
            function = getattr(_library, name)

            def call(*arguments):
                released.append(name)
                return function(*arguments)

            return mock.patch.object(_library, name, call)

        rewriter = absolink.Rewriter()
        with noting("_write"), noting("_finish"), noting("_rewrite"):
            for pieces, calls in [
                ([b"<p>", b"<a href=x>"], []),
                ([b"<link href=x>" * 70] * 5 + [b"<body>"], ["_write", "_write", "_finish"]),
                ([b"x" * 5000, b"<a href=x>"], ["_write", "_write", "_finish"]),
            ]:
                page = b"".join(rewriter.stream(pieces, URL))
                self.assertEqual(page.count(b"https://example.org/a/x"), b"".join(pieces).count(b"href"))
                self.assertEqual(released, calls)
                del released[:]
            list(rewriter.places(b"x" * 5000, URL))
            rewriter.rewrite(b"x" * 5000, URL)
            rewriter.rewrite(b"x" * 4000, URL)
        self.assertEqual(released, ["_write", "_finish", "_rewrite"])

    def test_asyncio(self):
        async def main():
            return await asyncio.gather(*(asyncio.to_thread(in_worker, n) for n in range(50)))

        self.assertEqual(asyncio.run(main()), [f"<a href=https://example.org/a/{n}>" for n in range(50)])

    def test_pools(self):
        absolink.rewrite("x", URL)
        for method in ["fork", "spawn", "forkserver"]:
            for _ in range(8 if method == "fork" else 1):
                with multiprocessing.get_context(method).Pool(8 if method == "fork" else 2) as pool:
                    got = pool.map(in_worker, range(200))
                    pool.close()
                    pool.join()
                self.assertEqual(got, [f"<a href=https://example.org/a/{n}>" for n in range(200)])

    def test_pickle(self):
        rewriter = pickle.loads(pickle.dumps(absolink.Rewriter(keep_fragments=True)))
        self.assertEqual(rewriter.rewrite("<a href=#x>", URL), "<a href=#x>")

    def test_few_addresses(self):
        """300 MB of addresses are enough. With too few, a call is an error, and the process goes on."""
        code = f"""
            import absolink, resource
            before = resource.getrlimit(resource.RLIMIT_AS)
            used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 20), before[1]))
            try:
                absolink.rewrite('<a href=x>', '{URL}')
            except MemoryError as error:
                print(error)
            resource.setrlimit(resource.RLIMIT_AS, (300 << 20, before[1]))
            print(absolink.rewrite('<a href=x>', '{URL}'))
            page = b'<p>text <a href=x>link</a>' * 200_000
            nested = lambda place: absolink.rewrite('<a href=y>', '{URL}') and None
            print(len(absolink.rewrite(page, '{URL}')) - len(page), absolink.rewrite('<a href=x>', '{URL}', visit=nested))
        """
        code, out, err = run("-c", textwrap.dedent(code))
        self.assertEqual((code, out.splitlines()[1:], err), (0, ["<a href=https://example.org/a/x>", "4400000 <a href=https://example.org/a/x>"], ""))
        self.assertIn("ulimit -v", out)

    def test_fork_with_busy_threads(self):
        page = b"<p>text <a href=x>link</a>" * 20_000
        done = threading.Event()
        threads = [threading.Thread(target=lambda: [absolink.rewrite(page, URL) for _ in iter(done.is_set, True)]) for _ in range(3)]
        for thread in threads:
            thread.start()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # of Python 3.12, about threads
                for _ in range(20):
                    pid = os.fork()
                    if pid == 0:
                        good = all(in_worker(n) == f"<a href=https://example.org/a/{n}>" for n in range(20))
                        os._exit(0 if good else 1)
                    self.assertEqual(os.waitpid(pid, 0)[1], 0)
        finally:
            done.set()
            for thread in threads:
                thread.join()

    def test_fork_in_a_stream(self):
        out = absolink.Rewriter().stream((b"<p>" * 50_000 + b"<a href=%d>" % n for n in range(8)), URL)
        first = next(out)
        pid = os.fork()
        rest = b"".join(out)
        if pid == 0:
            os._exit(0 if rest.count(b"https://example.org/a/") >= 7 else 1)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)
        self.assertEqual((first + rest).count(b"https://example.org/a/"), 8)

    def test_signals(self):
        """What a signal handler raises comes out of the call, whatever the library does at that time."""
        code = f"""
            import absolink, collections, signal
            class Stop(Exception): pass
            def handler(*_): raise Stop
            signal.signal(signal.SIGALRM, handler)
            page = (b'<a href=x>' + b'text ' * 4000) * 40
            rewriter = absolink.Rewriter(visit=lambda place: None)
            lost = 0
            for i in range(300):
                rewriter.rewrite(page, '{URL}')
                try:
                    signal.setitimer(signal.ITIMER_REAL, 0.0003 + (i % 100) * 0.00001)
                    for _ in range(500): rewriter.rewrite(page, '{URL}')
                    lost += 1
                except Stop:
                    pass
            print(lost, len(rewriter.rewrite(page, '{URL}')) - len(page))
        """
        self.assertEqual(run("-X", "dev", "-W", "error", "-c", textwrap.dedent(code)), (0, f"0 {40 * len('https://example.org/a/')}\n", ""))

    @unittest.skipUnless(hasattr(ctypes, "pythonapi"), "no PyThreadState_SetAsyncExc")
    def test_asynchronous_exceptions(self):
        """What another thread raises in a thread ends its call, also as a function begins."""

        class Stop(Exception):
            pass

        page = b"<a href=x>" * 3000
        rewriter = absolink.Rewriter(visit=lambda place: "https://visited/")
        want = rewriter.rewrite(page, URL)
        unraisable, before = [], sys.unraisablehook
        self.addCleanup(setattr, sys, "unraisablehook", before)
        sys.unraisablehook = unraisable.append
        ends = []

        def work(begun):
            try:
                begun.set()
                for _ in range(1000):
                    if rewriter.rewrite(page, URL) != want:
                        ends.append("wrong")
                ends.append("lost")
            except Stop:
                ends.append("raised")
            except RuntimeError as error:
                ends.append(str(error))

        for i in range(60):
            begun = threading.Event()
            thread = threading.Thread(target=work, args=(begun,))
            thread.start()
            begun.wait()
            time.sleep(0.002 + i % 10 * 0.0003)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(Stop))
            thread.join()
        lost = [end for end in ends if end.startswith("what was raised as visit")]
        self.assertEqual((len(ends), ends.count("raised") + len(lost)), (60, 60), ends)
        self.assertLessEqual(len(lost), len(unraisable))
        self.assertEqual(rewriter.rewrite(page, URL), want)

    def test_lost_exceptions(self):
        """A function that has not come to its end ends the call with an error, in any thread."""
        from absolink import _library

        def trace(frame, event, _):
            if event == "call" and frame.f_code in _library._codes:
                raise ValueError("x")  # before the function has begun

        page = "<link href=x><a href=//[><a href=y>"
        before = sys.unraisablehook
        self.addCleanup(setattr, sys, "unraisablehook", before)
        unraisable = []
        sys.unraisablehook = unraisable.append

        def work(call, ends):
            sys.settrace(trace)
            try:
                ends.append(call())
            except RuntimeError as error:
                ends.append(str(error))
            finally:
                sys.settrace(None)

        for name in ["visit", "unresolvable", "warn"]:
            rewriter = absolink.Rewriter(hold=1, **{name: lambda *_: None})
            for call in [
                lambda: rewriter.rewrite(page, URL),
                lambda: list(rewriter.stream([page], URL)),
                *([lambda: list(rewriter.places(page, URL))] if name != "visit" else []),
            ]:
                ends = []
                thread = threading.Thread(target=work, args=(call, ends))
                thread.start()
                thread.join()
                self.assertEqual((len(ends), len(unraisable)), (1, 1))
                self.assertRegex(str(ends[0]), "is lost")
                del unraisable[:]
                call()

    def test_interrupt(self):
        """Ctrl-C in a long document ends the call soon."""
        code = f"""
            import absolink, signal
            signal.signal(signal.SIGINT, signal.default_int_handler) # a shell may have it ignored
            page = b'<p>text <a href=x>link</a>' * 4_000_000
            print('ready', flush=True)
            try:
                for _ in range(1000): absolink.rewrite(page, '{URL}')
            except KeyboardInterrupt:
                print(absolink.rewrite('<a href=x>', '{URL}'))
        """
        with subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True) as process:
            process.stdout.readline()
            time.sleep(0.3)
            begun = time.monotonic()
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.stdout.read(), "<a href=https://example.org/a/x>\n")
            self.assertLess(time.monotonic() - begun, 30)

    def test_quiet(self):
        """No warning, at whatever the program does and however it ends."""
        for how in ["pass", "threading.Thread(target=call).start()", "os.fork() or call()", "gc.collect()", "out = absolink.Rewriter().stream([b'<p>' * 100_000] * 2, url); next(out)"]:
            code = f"""
                import absolink, gc, os, threading
                url = '{URL}'
                def call(): absolink.rewrite('<a href=x>', url, visit=lambda place: None)
                call()
                {how}
            """
            self.assertEqual(run("-X", "dev", "-W", "error", "-c", textwrap.dedent(code)), (0, "", ""), how)

    def test_nothing_is_left(self):
        """A process has no file, socket, thread or child of the package, however it ends."""
        for how in ["pass", "raise SystemExit(3)", "os._exit(0)", "os.kill(os.getpid(), 9)"]:
            code = f"""
                import absolink, glob, os
                def state(): return sorted(os.readlink(f) for f in glob.glob('/proc/self/fd/*') if os.path.islink(f)), os.listdir('/proc/self/task'), open('/proc/self/task/' + str(os.getpid()) + '/children').read()
                before = state()
                absolink.rewrite(b'<a href=x>' * 1000, '{URL}', visit=lambda place: None)
                print(state() == before, flush=True)
                {how}
            """
            with tempfile.TemporaryDirectory() as temp:
                _, out, _ = run("-c", textwrap.dedent(code), env={**os.environ, "TMPDIR": temp}, cwd=temp)
                self.assertEqual((out, os.listdir(temp)), ("True\n", []), how)

    def test_trace(self):
        """A call opens no file and no socket, and starts nothing."""
        if not shutil.which("strace"):
            self.skipTest("strace is not installed")
        code = f"""
            import absolink, os, sys
            page = (b'<p>text <a href=x>link</a>' * 100_000)
            absolink.rewrite('<a href=x>', '{URL}')
            os.write(1, b'begin')
            absolink.rewrite('<a href=x>' * 10, '{URL}', visit=lambda place: place.url)
            list(absolink.places(page, '{URL}'))
            absolink.rewrite(page, '{URL}')
            absolink.resolve('x', '{URL}')
            os.write(1, b'end')
        """
        with tempfile.TemporaryDirectory() as temp:
            trace = os.path.join(temp, "trace")
            subprocess.run(["strace", "-f", "-o", trace, sys.executable, "-c", textwrap.dedent(code)], check=True, stdout=subprocess.DEVNULL)
            with open(trace) as f:
                calls = f.read().split('write(1, "begin"')[1].split('write(1, "end"')[0]
        names = set(re.findall(r"^\d+ +(\w+)\(", calls, re.M))
        self.assertLessEqual(names, {"mmap", "munmap", "mprotect", "mremap", "madvise", "brk", "prlimit64", "clock_gettime", "getrandom", "futex"}, calls)


class Package(unittest.TestCase):
    @unittest.skipUnless(hasattr(ctypes, "pythonapi"), "no pythonapi")
    def test_functions_of_others(self):
        """The package and other users of ctypes do not see each other's functions."""
        code = f"""
            import ctypes
            function = ctypes.pythonapi.PyBytes_FromStringAndSize
            before = function.argtypes, function.restype
            import absolink
            print((function.argtypes, function.restype) == before)
            function.argtypes, function.restype = (ctypes.c_char_p, ctypes.c_ssize_t), ctypes.c_void_p
            print(absolink.rewrite('<a href=x>', '{URL}'))
        """
        self.assertEqual(run("-c", textwrap.dedent(code)), (0, "True\n<a href=https://example.org/a/x>\n", ""))

    def test_version(self):
        from importlib.metadata import version

        from absolink import _library

        self.assertEqual(absolink.__version__, version("absolink"))
        self.assertEqual(re.sub("-rc.", "rc", _library._version().decode()), absolink.__version__)

    def test_versions(self):
        """The version of the wheel is that of the tag, as PEP 440 writes it."""
        sys.path.insert(0, os.path.join(HERE, ".."))
        self.addCleanup(sys.path.pop, 0)
        from wheel import normal

        for version, want in [
            ("v1.0.0", "1.0.0"),
            ("v1.0.0-rc.1", "1.0.0rc1"),
            ("v1.0.0-beta.2", "1.0.0b2"),
            ("v1.0.0-alpha.3", "1.0.0a3"),
            ("v0.0.0-20261126034321-abcdef012345", "0.0.0.dev20261126034321+abcdef012345"),
            ("v1.0.1-0.20261126034321-abcdef012345+dirty", "1.0.1.dev20261126034321+abcdef012345"),
            ("v1.0.0-rc.1.0.20261126034321-abcdef012345", "1.0.0rc2.dev20261126034321+abcdef012345"),
            ("(devel)", "0.0.0.dev0"),
        ]:
            self.assertEqual(normal(version), want)

    def test_notices(self):
        """The wheel has the licences of what is in it."""
        from importlib.metadata import distribution

        found = {os.path.basename(file): file.read_text() for file in distribution("absolink").files if "licenses" in file.parts}
        self.assertEqual(sorted(found), ["LICENSE", "LICENSE.go", "LICENSE.wabt"])
        self.assertIn("The Go Authors", found["LICENSE.go"])
        self.assertIn("Apache License", found["LICENSE.wabt"])

    def test_size(self):
        directory = os.path.dirname(absolink.__file__)
        size = sum(os.path.getsize(f) for f in glob.glob(os.path.join(directory, "**"), recursive=True) if os.path.isfile(f) and "__pycache__" not in f)
        self.assertLess(size, 14 << 20)

    def test_command(self):
        """The command is there with absolink-cli, and otherwise find_command says how to get it."""
        with tempfile.TemporaryDirectory() as target:
            shutil.copytree(os.path.dirname(absolink.__file__), os.path.join(target, "absolink"))
            environment = {**os.environ, "PYTHONPATH": target}
            code, out, err = run("-c", "import absolink; absolink.find_command()", env=environment)
            if "FileNotFoundError" in err:
                self.assertIn('pip install "absolink[cli]"', err)
                code, out, err = run("-m", "absolink", "version", env=environment)
                self.assertEqual((code, out), (1, ""))
                self.assertIn('pip install "absolink[cli]"', err)
            os.mkdir(os.path.join(target, "bin"))
            command = os.path.join(target, "bin", "absolink")
            with open(command, "w") as f:
                f.write('#!/bin/sh\necho "$@"\nexit 3\n')
            os.chmod(command, 0o755)
            if "FileNotFoundError" not in err and code == 0:
                self.skipTest("absolink-cli is installed")
            self.assertEqual(run("-m", "absolink", "list", "x y", env=environment), (3, "list x y\n", ""))

    def test_zipapp(self):
        """The package works in a zip file, and leaves nothing."""
        with tempfile.TemporaryDirectory() as temp:
            app = os.path.join(temp, "app")
            shutil.copytree(os.path.dirname(absolink.__file__), os.path.join(app, "absolink"))
            with open(os.path.join(app, "__main__.py"), "w") as f:
                f.write(f"import absolink\nprint(absolink.__file__)\nprint(absolink.rewrite('<a href=x>', '{URL}'))\n")
            zipapp.create_archive(app, os.path.join(temp, "app.pyz"))
            shutil.rmtree(app)
            code, out, err = run(os.path.join(temp, "app.pyz"), env={**os.environ, "TMPDIR": temp})
            self.assertEqual((code, out.splitlines()[1:], err), (0, ["<a href=https://example.org/a/x>"], ""))
            self.assertIn("app.pyz", out)
            self.assertEqual(os.listdir(temp), ["app.pyz"])

    @unittest.skipUnless(hasattr(os, "memfd_create") and hasattr(ctypes, "pythonapi"), "no memfd_create, or PyPy, whose _ctypes is no library")
    def test_zipapp_with_another(self):
        """A package that loads its library from a zip file in the same way gets its own, and this one, too."""
        with tempfile.TemporaryDirectory() as temp:
            app = os.path.join(temp, "app")
            shutil.copytree(os.path.dirname(absolink.__file__), os.path.join(app, "absolink"))
            with open(os.path.join(app, "__main__.py"), "w") as f:
                f.write(textwrap.dedent(f"""
                    import _ctypes, ctypes, os
                    fd = os.memfd_create('other')
                    with open(fd, 'wb') as f, open(_ctypes.__file__, 'rb') as library:
                        f.write(library.read())
                        f.flush()
                        ctypes.CDLL(f'/proc/self/fd/{{fd}}')
                    import absolink
                    print(absolink.rewrite('<a href=x>', '{URL}'))
                """))
            zipapp.create_archive(app, os.path.join(temp, "app.pyz"))
            shutil.rmtree(app)
            self.assertEqual(run(os.path.join(temp, "app.pyz")), (0, "<a href=https://example.org/a/x>\n", ""))

    def test_pyinstaller(self):
        """An application of PyInstaller has the library."""
        if not os.environ.get("PYINSTALLER"):
            self.skipTest("PYINSTALLER is not set")
        with tempfile.TemporaryDirectory() as temp:
            with open(os.path.join(temp, "app.py"), "w") as f:
                f.write(f"import absolink\nprint(absolink.rewrite('<a href=x>', '{URL}'))\n")
            subprocess.run([sys.executable, "-m", "PyInstaller", "--onefile", "--log-level", "ERROR", "app.py"], cwd=temp, check=True)
            done = subprocess.run([os.path.join(temp, "dist", "app")], stdout=subprocess.PIPE, env={"PATH": "/usr/bin:/bin"}, check=True)
            self.assertEqual(done.stdout, b"<a href=https://example.org/a/x>\n")


@unittest.skipUnless(os.environ.get("ABSOLINK"), "ABSOLINK is not set")
class Pages(unittest.TestCase):
    def test_same_bytes_as_the_command(self):
        """On the pages of testdata and of the directory PAGES, whole and in pieces."""
        directories = [os.path.join(ROOT, "testdata"), *filter(None, [os.environ.get("PAGES")])]
        pages = [page for directory in directories for page in glob.glob(os.path.join(directory, "**", "*.html"), recursive=True)]
        self.assertGreater(len(pages), 40 * len(directories))
        rewriter = absolink.Rewriter()
        for page in pages:
            with open(page, "rb") as f:
                source = f.read()
            command = [os.environ["ABSOLINK"], "-q", "--type", "html", "--profile", "whatwg", "--url", URL]
            want = subprocess.run(command, input=source, stdout=subprocess.PIPE).stdout
            self.assertEqual(rewriter.rewrite(source, URL), want, page)
            for n in [1, 1000] if len(source) < 100_000 else [1000]:
                got = b"".join(rewriter.stream((source[i : i + n] for i in range(0, len(source), n)), URL))
                self.assertEqual(got, want, f"{page}, in pieces of {n}")


if __name__ == "__main__":
    unittest.main()
