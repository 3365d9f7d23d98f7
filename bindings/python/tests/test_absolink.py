"""Tests of the installed package: python -m unittest. LXML=1 compares it with lxml, too."""

import concurrent.futures
import doctest
import glob
import gzip
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
import warnings

import absolink
from absolink import _server

PAGES = os.path.join(os.path.dirname(__file__), "..", "..", "..", "testdata", "pages")
URL = "https://example.org/a/b?c"

# An archive with one page, for the example of docs/python.md.
PAGE = b'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=next.html>x</a><img src=/a.png>'
WARC = (
    b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: https://example.org/docs/\r\n"
    b"WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>\r\n"
    b"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n" % (len(PAGE), PAGE)
)


def load_tests(loader, tests, pattern):
    tests.addTests(doctest.DocTestSuite(absolink))
    return tests


def in_worker(n):
    return absolink.rewrite(f"<a href={n}>", URL), _server._server.process.pid, _server._server.directory


def runs(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def gone(pid):
    for _ in range(200):
        if not runs(pid):
            return True
        time.sleep(0.05)
    return False


class Documents(unittest.TestCase):
    def test_limits(self):
        page = "<link href=x><title>title</title><base href=/b/>"
        for document, options, want in [
            (page, {}, None),
            (page, {"hold": 10}, "hold"),
            (page + "<p>" * (1 << 20), {"hold": 10}, "hold"),  # in a trailer
            (page + "<a href=x title='%s'>" % ("x" * 100), {"hold": 10, "max_tag": 100}, "hold, max-tag"),
        ]:
            rewriter = absolink.Rewriter(**options)
            for call in [
                lambda: rewriter.rewrite(document, URL),
                lambda: list(rewriter.places(document, URL)),
                lambda: absolink.rewrite(document, URL, **options),
                lambda: list(absolink.places(document, URL, **options)),
            ]:
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    call()
                told = [(str(w.message), w.category, w.filename) for w in caught]
                self.assertEqual(told, [] if want is None else [(f"a part of the document with the base {URL} is longer than may be held: {want}", absolink.LimitWarning, __file__)])

    def test_every_limit_is_shown(self):
        program = "import absolink\nfor url in [None, None, 'http://u:p@h/1', 'http://h/2', 'http://h/2']: absolink.rewrite('<link href=x><title>title</title>', url, hold=10)\n"
        for options, base, want in [([], None, 5), (["-W", "ignore"], None, 0), (["-W", "once"], "http://h/2", 1)]:
            run = subprocess.run([sys.executable, *options, "-c", program], stderr=subprocess.PIPE, check=True, text=True)
            told = [line for line in run.stderr.splitlines() if "LimitWarning: a part" in line and (base is None or base in line)]
            self.assertEqual(len(told), want, run.stderr)
            self.assertNotIn("u:p", run.stderr)

    def test_rewrite(self):
        for document, options, want in [
            ("<a href=../style.css>é", {}, "<a href=https://example.org/style.css>é"),
            (b"<a href=\xe9>", {"charset": "latin1"}, b"<a href=https://example.org/a/%C3%A9>"),
            ("<a href=x>\ud800 \udc00😀", {}, "<a href=https://example.org/a/x>\ud800 \udc00😀"),
            ("\ufeff<a href=x>", {}, "\ufeff<a href=https://example.org/a/x>"),
            ("<img data-src=x><a ping=y>", {"rules": ["html", "lazy", "-a[ping]"]}, "<img data-src=https://example.org/a/x><a ping=y>"),
            ("a{b:url(x)}", {"sheet": True}, "a{b:url(https://example.org/a/x)}"),
            ("x" * 5_000_000 + "<a href=x>", {}, "x" * 5_000_000 + "<a href=https://example.org/a/x>"),
        ]:
            self.assertEqual(absolink.rewrite(document, URL, **options), want)

    def test_errors(self):
        for arguments, options, error, part in [
            (("x", "nonsense"), {}, ValueError, "not an absolute URL"),
            ((1, URL), {}, TypeError, "not str or bytes"),
            (("x", URL), {"charset": "utf-8"}, TypeError, "charset is for bytes"),
            ((b"x", URL), {"charset": "utf-8\r\nX: y"}, ValueError, "no such charset"),
            (("x", URL), {"profile": "html5"}, ValueError, "no such profile"),
            (("x", URL), {"rules": ["nope"]}, ValueError, "nope"),
            (("x", URL), {"rules": "html"}, TypeError, "sequence of strings"),
            (("x", URL), {"hold": 0}, ValueError, "hold"),
            (("x", URL), {"colour": 1}, TypeError, "colour"),
        ]:
            with self.assertRaisesRegex(error, part):
                absolink.rewrite(*arguments, **options)
        with self.assertRaisesRegex(ValueError, r"\[x"):
            absolink.resolve("//[x", URL)

    def test_resolve(self):
        for ref, want in [("x", "https://example.org/a/x"), ("", URL), ("a\nb\r", "https://example.org/a/ab"), ("é", "https://example.org/a/%C3%A9"), ("x" * 500_000, "https://example.org/a/" + "x" * 500_000)]:
            self.assertEqual(absolink.resolve(ref, URL), want)

    def test_places(self):
        self.assertEqual(list(absolink.places('<link rel=icon href=i><a href="x &amp; y">t é</a>', URL)), [
            {"offset": 20, "element": "link", "attr": "href", "syntax": "url", "rel": "icon", "raw": "i", "ref": "i", "url": "https://example.org/a/i"},
            {"offset": 31, "element": "a", "attr": "href", "syntax": "url", "text": "t é", "raw": "x &amp; y", "ref": "x & y", "url": "https://example.org/a/x%20&%20y"},
        ])

    def test_same_bytes_as_the_command(self):
        pages = glob.glob(os.path.join(PAGES, "*.html"))
        self.assertGreater(len(pages), 5)
        for page in pages:
            with open(page, "rb") as f:
                source = f.read()
            want = subprocess.run([absolink.find_command(), "-q", "--type", "html", "--profile", "whatwg", "--url", URL], input=source, stdout=subprocess.PIPE).stdout
            self.assertEqual(absolink.rewrite(source, URL), want, page)

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
        with open(f"/proc/{_server._server.process.pid}/status") as f:
            peak = next(int(line.split()[1]) for line in f if line.startswith("VmHWM"))
        self.assertLess(peak, 400 << 10)


class Processes(unittest.TestCase):
    def test_threads(self):
        rewriter = absolink.Rewriter(keep_fragments=True)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            got = list(pool.map(lambda n: rewriter.rewrite(f"<a href={n}>", URL), range(2000)))
        self.assertEqual(got, [f"<a href=https://example.org/a/{n}>" for n in range(2000)])

    def test_forks(self):
        absolink.rewrite("x", URL)
        own = _server._server.process.pid
        with multiprocessing.get_context("fork").Pool(8) as pool:
            got = pool.map(in_worker, range(200))
            pool.close()
            pool.join()
        self.assertEqual([g[0] for g in got], [f"<a href=https://example.org/a/{n}>" for n in range(200)])
        servers = {g[1] for g in got}
        self.assertNotIn(own, servers)
        for pid in servers:
            self.assertTrue(gone(pid), pid)
        for directory in {g[2] for g in got}:
            self.assertFalse(os.path.exists(directory))
        self.assertEqual(absolink.rewrite("<a href=x>", URL), "<a href=https://example.org/a/x>")
        self.assertEqual(_server._server.process.pid, own)

    def test_crash(self):
        absolink.rewrite("x", URL)
        pid, directory = _server._server.process.pid, _server._server.directory
        os.kill(pid, signal.SIGKILL)
        self.assertEqual(absolink.rewrite("<a href=x>", URL), "<a href=https://example.org/a/x>")
        self.assertNotEqual(_server._server.process.pid, pid)
        self.assertFalse(os.path.exists(directory))

    def test_end(self):
        """A process takes its server along, however it ends."""
        for how in ["pass", "sys.exit(3)", "raise Exception('mine')", "os._exit(0)", "os.kill(os.getpid(), 9)"]:
            code = textwrap.dedent(f"""
                import absolink, os, sys
                from absolink import _server
                absolink.rewrite('x', '{URL}')
                print(_server._server.process.pid, _server._server.path, flush=True)
                {how}
            """)
            said = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
            pid, path = said.split()
            self.assertTrue(gone(int(pid)), how)
            self.assertFalse(os.path.exists(path), how)

    def test_private(self):
        absolink.rewrite("x", URL)
        self.assertEqual(os.stat(_server._server.directory).st_mode & 0o777, 0o700)

    def test_command(self):
        self.assertIn(b"absolink", subprocess.run([absolink.find_command(), "version"], stdout=subprocess.PIPE, check=True).stdout)


class Examples(unittest.TestCase):
    """The blocks of docs/python.md print what the page says."""

    def test_docs(self):
        root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
        with open(os.path.join(root, "docs", "python.md"), encoding="utf-8") as f:
            page = f.read()
        blocks = page.split("```python\n")[1:]
        self.assertGreater(len(blocks), 3)
        with tempfile.TemporaryDirectory() as directory:
            with gzip.open(os.path.join(directory, "crawl.warc.gz"), "wb") as f:
                f.write(WARC)
            for block in blocks:
                code, rest = block.split("```", 1)
                want = rest.split("```text\n", 1)[1].split("```", 1)[0]
                got = subprocess.run([sys.executable, "-c", code], cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout.decode()
                self.assertEqual(got, want, code)


@unittest.skipUnless(os.environ.get("LXML"), "LXML is not set")
class Speed(unittest.TestCase):
    """Prints how long a call takes, and how lxml does."""

    def test_speed(self):
        import lxml.html

        def lxml_way(page):
            tree = lxml.html.fromstring(page)
            tree.make_links_absolute(URL)
            return lxml.html.tostring(tree)

        small = (b"<p>text <a href=page.html>link</a> more text\n" * 50)[:2048]
        large = (b"<p>" + b"text that stands between links " * 15 + b"<a href=page.html>link</a>\n") * 10_000
        rewriter = absolink.Rewriter()
        for name, page, times in [("2 KB", small, 500), ("4.9 MB", large, 9)]:
            for way, call in [("absolink", lambda p: rewriter.rewrite(p, URL)), ("lxml", lxml_way)]:
                call(page)
                took = []
                for _ in range(times):
                    begun = time.perf_counter()
                    call(page)
                    took.append(time.perf_counter() - begun)
                median = sorted(took)[times // 2]
                print(f"{way}, {name}: {median * 1e3:.3f} ms, {len(page) / median / 1e6:.0f} MB/s")


if __name__ == "__main__":
    unittest.main()
