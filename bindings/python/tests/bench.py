"""Compares the C library, the package and lxml in one run: bench.py [PAGE…].

Each way makes the same pages absolute, bytes in and out, in turn on one core: CPU time, medians.
Without PAGEs, the pages are made here, in five sizes. ABSOLINK_NATIVE names a directory that
bindings/native/build has made; without it, the library alone is not measured. At the end are
what a process and an instance take, and the sizes.
"""

import glob
import os
import subprocess
import sys
import tempfile
import time
import zlib

import lxml.html

import absolink

URL = "https://example.org/a/b"
HERE = os.path.dirname(os.path.abspath(__file__))
NATIVE = os.environ.get("ABSOLINK_NATIVE")


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


def timed(way):
    """Returns a function that calls a way some times with a page, and returns its time in ms."""

    def measure(page, calls, _):
        begun = time.process_time()
        for _ in range(calls):
            way(page)
        return (time.process_time() - begun) / calls * 1e3

    return measure


def library(directory):
    """Starts the program that calls the library. Returns it and a function that measures it."""
    program = os.path.join(directory, "bench")
    source = os.path.join(HERE, "..", "..", "native", "test", "testdata", "bench.c")
    subprocess.run(["cc", "-O2", f"-I{NATIVE}/include", "-o", program, source, f"-L{NATIVE}/lib", "-labsolink", "-Wl,-rpath," + os.path.realpath(NATIVE) + "/lib"], check=True)
    process = subprocess.Popen([program, URL], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def measure(_, calls, file):
        process.stdin.write(f"{calls} {file}\n")
        process.stdin.flush()
        return float(process.stdout.readline())

    return process, measure


def median(ways, page, file, seconds):
    """Returns the median time of each way. The ways take turns, with some calls each."""
    times = {name: [] for name in ways}
    calls = max(1, 250_000 // len(page))
    for measure in ways.values():
        measure(page, 1, file)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times["lxml"]) < 5:
        for name, measure in ways.items():
            times[name].append(measure(page, calls, file))
    return {name: sorted(t)[len(t) // 2] for name, t in times.items()}


def process(code):
    """Returns the least time in ms that a program in Python takes, of ten runs."""
    times = []
    for _ in range(10):
        begun = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        times.append(time.perf_counter() - begun)
    return min(times) * 1e3


INSTANCES = """
import time
def memory(): return int(open('/proc/self/statm').read().split()[1]) * 4096 / 1e6
before, begun = memory(), time.perf_counter()
import absolink
imported = time.perf_counter()
from absolink._library import Instance
absolink.rewrite('<a href=x>', 'http://h/')
called, one = time.perf_counter(), memory()
more = [Instance() for _ in range(9)]
print(f'import {(imported - begun) * 1e3:.1f} ms, first call {(called - imported) * 1e3:.1f} ms; memory: {one - before:.1f} MB with an instance, {memory() - before:.1f} MB with ten')
"""


def main():
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    rewriter = absolink.Rewriter()
    visiting = absolink.Rewriter(visit=lambda place: None)
    ways = {
        "absolink": timed(lambda page: rewriter.rewrite(page, URL)),
        "lxml": timed(by_lxml),
        "str": timed(lambda page: rewriter.rewrite(page.decode(), URL)),
        "visit": timed(lambda page: visiting.rewrite(page, URL)),
        "places": timed(lambda page: sum(1 for _ in rewriter.places(page, URL))),
    }
    pages = {}
    for name in sys.argv[1:]:
        with open(name, "rb") as f:
            pages[os.path.basename(name)] = f.read()
    if not pages:
        pages = {name: ordinary(size) for name, size in [("2.4 KB", 2400), ("25 KB", 25_000), ("210 KB", 210_000), ("1.6 MB", 1_600_000)]}
        pages = {"tiny": b'<a href=x>text</a><img src="../y.png">', **pages}
    with tempfile.TemporaryDirectory() as directory:
        instances = None
        if NATIVE:
            program, measure = library(directory)
            instances = program.stdout.readline()
            ways = {"C": measure, **ways}
        print(f"{'ms':10}" + "".join(f"{name:>10}" for name in ways) + f"{'× lxml':>10}")
        file = os.path.join(directory, "page")
        for name, page in pages.items():
            with open(file, "wb") as f:
                f.write(page)
            took = median(ways, page, file, 5)
            print(f"{name:10}" + "".join(f"{t:10.4f}" for t in took.values()) + f"{took['lxml'] / took['absolink']:10.1f}", flush=True)
        if instances:
            print("In C:", instances, end="")
            program.stdin.close()
            program.wait()
            program.stdout.close()
    print("In Python:", end=" ", flush=True)
    subprocess.run([sys.executable, "-c", INSTANCES], check=True)
    call = "import absolink; absolink.rewrite('<a href=x>', 'http://h/')"
    other = "import lxml.html; tree = lxml.html.document_fromstring('<a href=x>'); tree.make_links_absolute('http://h/'); lxml.html.tostring(tree)"
    print(f"Process: Python alone {process('pass'):.0f} ms, with ctypes {process('import ctypes'):.0f} ms, with a call {process(call):.0f} ms, with a call of lxml {process(other):.0f} ms")
    for path in glob.glob(os.path.join(os.path.dirname(absolink.__file__), "*absolink.*")):
        with open(path, "rb") as f:
            data = f.read()
        print(f"{os.path.basename(path)}: {len(data) / 1e6:.2f} MB, {len(zlib.compress(data, 9)) / 1e6:.2f} MB as in a wheel")


if __name__ == "__main__":
    main()
