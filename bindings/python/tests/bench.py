"""Compares the package with lxml: bench.py [PAGE…]. CPU time on one core, in turn, medians.

Each way makes the same pages absolute, bytes in and out. Without PAGEs, the pages are made of
testdata, in five sizes. At the end are the sizes of the package, and what a process takes.
"""

import glob
import os
import subprocess
import sys
import time

import lxml.html

import absolink

URL = "https://example.org/a/b"
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")


def ordinary(size):
    """Returns a page like those of news sites: about a link for each 220 bytes."""
    paragraph = b'<p class="text">Words and more words, <em>some of them</em> in another font, until <a class="more" href="/news/%d/page.html">the link</a> comes, and after it there are <span>more words</span> still, and a full stop.</p>\n'
    head = b'<!DOCTYPE html>\n<html><head><meta charset="utf-8"><title>Page</title><link rel="stylesheet" href="../style.css"></head><body>\n'
    body = []
    length = len(head)
    while length < size - 30:
        body.append(paragraph % len(body))
        length += len(body[-1])
    return head + b"".join(body) + b"</body></html>\n"


def by_lxml(page):
    tree = lxml.html.document_fromstring(page)
    tree.make_links_absolute(URL)
    return lxml.html.tostring(tree)


def median(ways, page, seconds):
    """Returns the median and the least time of each way. They take turns, with some calls each."""
    times = {name: [] for name in ways}
    calls = max(1, 250_000 // len(page))
    for way in ways.values():
        way(page)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times[name]) < 5:
        for name, way in ways.items():
            begun = time.process_time()
            for _ in range(calls):
                way(page)
            times[name].append((time.process_time() - begun) / calls)
    return tuple({name: f(t) * 1e3 for name, t in times.items()} for f in (lambda t: sorted(t)[len(t) // 2], min))


def main():
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    rewriter = absolink.Rewriter()
    visiting = absolink.Rewriter(visit=lambda place: None)
    ways = {
        "absolink": lambda page: rewriter.rewrite(page, URL),
        "lxml": by_lxml,
        "str": lambda page: rewriter.rewrite(page.decode(), URL),
        "visit": lambda page: visiting.rewrite(page, URL),
        "places": lambda page: sum(1 for _ in rewriter.places(page, URL)),
    }
    pages = {}
    for name in sys.argv[1:]:
        with open(name, "rb") as f:
            pages[os.path.basename(name)] = f.read()
    if not pages:
        pages = {name: ordinary(size) for name, size in [("2.4 KB", 2400), ("25 KB", 25_000), ("210 KB", 210_000), ("1.6 MB", 1_600_000)]}
        pages = {"tiny": b'<a href=x>text</a><img src="../y.png">', **pages}
    print(f"{'ms':10}" + "".join(f"{name:>10}" for name in ways) + f"{'× lxml':>10}{'by least':>10}")
    for name, page in pages.items():
        took, least = median(ways, page, 5)
        ratios = (t["lxml"] / t["absolink"] for t in (took, least))
        print(f"{name:10}" + "".join(f"{t:10.3f}" for t in took.values()) + "".join(f"{r:10.1f}" for r in ratios), flush=True)
    package = os.path.dirname(absolink.__file__)
    for file in glob.glob(os.path.join(package, "*absolink.*")):
        print(f"{os.path.basename(file)}: {os.path.getsize(file) / 1e6:.1f} MB")
    program = """
import time, resource
def memory(): return int(open('/proc/self/statm').read().split()[1]) * 4096 / 1e6
before, begun = memory(), time.perf_counter()
import absolink
imported = time.perf_counter()
from absolink._library import Instance
absolink.rewrite('<a href=x>', 'http://h/')
called, one = time.perf_counter(), memory()
more = [Instance() for _ in range(9)]
print(f'import {(imported - begun) * 1e3:.1f} ms, first call {(called - imported) * 1e3:.1f} ms; memory {before:.1f} MB before, {one:.1f} MB with an instance, {memory():.1f} MB with ten')
"""
    subprocess.run([sys.executable, "-c", program], check=True)


if __name__ == "__main__":
    main()
