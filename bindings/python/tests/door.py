"""Sends documents through the doors of the installed package, for TestBindings of
internal/test/doors."""

import asyncio
import base64
import codecs
import os
import re
import sys

import absolink

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../internal/test/doors"))
from asking import ask, serve, told


def used():
    """Returns how much memory the process has."""
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096


def pieces(text):
    """Asks for a document. After each MiB it says how much more memory there is than at the least."""
    question, n, least, end = {"ask": "read"}, 0, 1 << 60, False
    decoder = codecs.getincrementaldecoder("utf-8")()
    while not end:
        answer = ask(question)
        piece, end = base64.b64decode(answer.get("data") or ""), answer.get("end", False)
        question = {"ask": "read"}
        n += len(piece)
        if n >= 1 << 20:
            n, now = 0, used()
            least = min(least, now)
            question["used"] = now - least
        yield decoder.decode(piece, end) if text else piece
        told(answer)


functions = {
    "visit": lambda place: told(ask({"ask": "visit", "place": dict(place)})).get("url"),
    "unresolvable": lambda place: told(ask({"ask": "unresolvable", "place": dict(place)})),
    "done": lambda result: told(ask({"ask": "result", "result": result._asdict()})),
    "warn": lambda offset, message: told(ask({"ask": "warn", "warning": {"offset": offset, "message": message}})),
}


def write(data):
    told(ask({"ask": "write", "data": base64.b64encode(data.encode() if isinstance(data, str) else data).decode()}))


def door_of(name, options):
    """Returns the function that a door is."""
    if name.startswith("Rewriter."):
        return getattr(absolink.Rewriter(**options), name[len("Rewriter.") :])
    return lambda *args: getattr(absolink, name)(*args, **options)


async def asynchronous(door, pieces, url):
    async def each():
        for piece in pieces:
            await asyncio.sleep(0)
            yield piece

    async for out in door(each(), url):
        write(out)


def send(request):
    options = {re.sub("[A-Z]", lambda m: "_" + m[0].lower(), name): value for name, value in request["options"].items()}
    options.update((name, functions[name]) for name in request["functions"])
    door, text, url = door_of(request["door"], options), request["mode"] == "text", request.get("url")
    if request["door"].endswith("astream"):
        asyncio.run(asynchronous(door, pieces(text), url))
        return
    if request["door"].endswith("stream"):
        for out in door(pieces(text), url):
            write(out)
        return
    document = base64.b64decode(request["document"] or "")
    result = door(document.decode() if text else document, url)
    if request["door"].endswith("columns"):
        result = [dict(zip(result, row)) for row in zip(*result.values())]
    elif request["door"].endswith("rows"):
        result = (row._asdict() for row in result)
    if request["door"].endswith(("places", "columns", "rows")):
        for place in result:
            told(ask({"ask": "list", "place": {name: value for name, value in dict(place).items() if value is not None}}))
    else:
        write(result)


serve(send)
