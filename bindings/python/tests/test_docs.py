"""The blocks of docs/python.md print what the page says."""

import gzip
import http.server
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")

# An archive with one page.
PAGE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=next.html>x</a><img src=/a.png>"
WARC = (
    b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: https://example.org/docs/\r\n"
    b"WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>\r\n"
    b"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n" % (len(PAGE), PAGE)
)


def blocks():
    """Returns the blocks in Python, each with the block of output after it, if there is one."""
    with open(os.path.join(ROOT, "docs", "python.md"), encoding="utf-8") as f:
        page = f.read()
    return re.findall(r"```python\n(.*?)```(?:\n+<!-- not run: its output -->\n```text\n(.*?)```)?", page, re.S)


class Examples(unittest.TestCase):
    def test_docs(self):
        seen = 0
        with tempfile.TemporaryDirectory() as directory:
            with gzip.open(os.path.join(directory, "crawl.warc.gz"), "wb") as f:
                f.write(WARC)
            for code, want in blocks():
                if "import scrapy" in code or "import aiohttp" in code:
                    continue
                if "find_command" in code and not os.environ.get("CLI"):
                    continue
                seen += 1
                got = subprocess.run([sys.executable, "-X", "dev", "-c", code], cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout.decode()
                self.assertEqual(got, want, code)
        self.assertGreater(seen, 4)

    @unittest.skipUnless(os.environ.get("SCRAPY"), "SCRAPY is not set")
    def test_scrapy(self):
        """The recipe makes the links of a page in Scrapy absolute, in the encoding of the page."""
        (code,) = (code for code, _ in blocks() if "import scrapy" in code)

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = "<title>é</title><a href=x?é>é</a><a href=#top>".encode("windows-1252")
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=windows-1252")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}/docs/"
        try:
            with tempfile.TemporaryDirectory() as directory:
                with open(os.path.join(directory, "spider.py"), "w") as f:
                    f.write(code)
                command = [sys.executable, "-m", "scrapy", "runspider", "spider.py", "-O", "items.jsonl", "-L", "WARNING"]
                with open(os.path.join(directory, "spider.py"), "a") as f:
                    f.write(f"\n\nPages.start_urls = [{url!r}]\n")
                    # JSON has no bytes.
                    f.write("Pages.custom_settings['ITEM_PIPELINES'][type('Text', (), {'process_item': lambda self, item: {**item, 'html': item['html'].decode(item['encoding'])}})] = 400\n")
                done = subprocess.run(command, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
                self.assertEqual((done.returncode, done.stdout), (0, ""))
                with open(os.path.join(directory, "items.jsonl")) as f:
                    items = [json.loads(line) for line in f]
        finally:
            server.shutdown()
            thread.join()
            server.server_close()
        self.assertEqual(items, [{"url": url, "encoding": "cp1252", "html": f"<title>é</title><a href={url}x?%E9>é</a><a href=#top>"}])


    @unittest.skipUnless(os.environ.get("SCRAPY"), "SCRAPY is not set")
    def test_asyncio(self):
        """The recipe sends a page on while it comes: what the server has sent so far has arrived before the rest is sent."""
        import asyncio

        (code,) = (code for code, _ in blocks() if "import aiohttp" in code)
        recipe = {}
        exec(code, recipe)
        got = []

        async def serve(reader, writer):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=windows-1252\r\nConnection: close\r\n\r\n<title>\xe9</title><body><a href=x?\xe9><p>")
            while not b"".join(got).endswith(b"<p>"):
                await asyncio.sleep(0.01)
            writer.write(b"<a hre")
            await writer.drain()
            writer.write(b"f=y>")
            writer.close()

        async def client(url):
            async def receive():
                await asyncio.sleep(3600)

            async def send(message):
                got.append(message.get("body", b""))

            scope = {"type": "http", "method": "GET", "path": "/", "query_string": ("url=" + url).encode(), "headers": [], "http_version": "1.1", "asgi": {"version": "3.0", "spec_version": "2.4"}}
            await recipe["app"](scope, receive, send)

        async def main():
            server = await asyncio.start_server(serve, "127.0.0.1", 0)
            url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/d/"
            await asyncio.wait_for(client(url), 60)
            server.close()
            return url.encode()

        url = asyncio.run(main())
        self.assertEqual(b"".join(got), b"<title>\xe9</title><body><a href=" + url + b"x?%E9><p><a href=" + url + b"y>")


if __name__ == "__main__":
    unittest.main()
