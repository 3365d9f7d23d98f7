"""Sends documents through the doors of the C library that it is given, for TestBindings of
internal/test/doors."""

import base64
import ctypes
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../internal/test/doors"))
from asking import ask, serve, told

OK, LIST, DECODED = 0, 2, 4


class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]


class Place(ctypes.Structure):
    texts = ["element", "attr", "syntax", "rel", "text", "raw", "ref", "url", "error"]
    _fields_ = [("offset", ctypes.c_int64)] + [(name, Text) for name in texts]


class Table(ctypes.Structure):
    _fields_ = [("places", ctypes.c_size_t), ("offset", ctypes.POINTER(ctypes.c_int64)), ("lengths", ctypes.POINTER(ctypes.c_uint32))] + [(name, Text) for name in Place.texts]


Visit = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Place), ctypes.POINTER(Text))
Unresolvable = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Place))
Warn = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_size_t)


class Report(ctypes.Structure):
    counts = ["rewritten", "absolute", "left", "unresolvable", "removed", "warnings"]
    _fields_ = [("base", Text), ("source", Text)] + [(name, ctypes.c_int64) for name in counts]


Done = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Report))


class Functions(ctypes.Structure):
    _fields_ = [("context", ctypes.c_void_p), ("visit", Visit), ("unresolvable", Unresolvable), ("warn", Warn), ("done", Done)]


library = ctypes.CDLL(sys.argv[1])
pointer, text, size, stream = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64
document = [pointer, text, text, ctypes.c_uint, text, size]


def function(name, result, arguments):
    f = getattr(library, "absolink_" + name)
    f.restype, f.argtypes = result, arguments
    return f


new = function("new", pointer, [])
free = function("free", None, [pointer])
memory = function("memory", size, [pointer])
configure = function("configure", ctypes.c_int, [pointer, text, ctypes.POINTER(Functions)])
rewrite = function("rewrite", ctypes.c_int, document)
feed = function("feed", ctypes.c_int, document)
places = function("places", ctypes.c_int, document)
next_place = function("next", ctypes.c_int, [pointer, ctypes.POINTER(Place)])
columns = function("columns", ctypes.c_int, [pointer, ctypes.POINTER(Table)])
open_stream = function("open", ctypes.c_int, document[:4] + [ctypes.POINTER(stream)])
write = function("write", ctypes.c_int, [pointer, stream, text, size])
finish = function("finish", ctypes.c_int, [pointer, stream])
drop = function("drop", ctypes.c_int, [pointer, stream])
result = function("result", pointer, [pointer])
result_length = function("result_length", size, [pointer])


def place_of(place):
    texts = {name: getattr(place, name) for name in Place.texts}
    return {"offset": place.offset, **{name: ctypes.string_at(t.data, t.length).decode(errors="replace") for name, t in texts.items() if t.length}}


class Pass:
    """A document on its way through a door, with an instance of its own."""

    def __init__(self, request):
        self.request = request
        self.thrown = None
        self.instance = new()
        self.url = request.get("url") and request["url"].encode()
        self.charset = b"utf-8" if request["mode"] == "text" else None
        lines = []
        for name, value in request["options"].items():
            if name == "rules":
                lines += ["rules="] + ["rule=" + rule for rule in value]
            else:
                lines.append(f"{name}={str(value).lower() if isinstance(value, bool) else value}")
        names = request["functions"]
        self.functions = Functions(
            None,
            Visit(self.guard(self.visit)) if "visit" in names else Visit(),
            Unresolvable(self.guard(self.unresolvable)) if "unresolvable" in names else Unresolvable(),
            Warn(self.guard(self.warn)) if "warn" in names else Warn(),
            Done(self.guard(self.done)) if "done" in names else Done(),
        )
        self.options = "\n".join(lines).encode()

    def guard(self, f):
        def guarded(_, *arguments):
            try:
                return f(*arguments) or 0
            except Exception as e:
                self.thrown = e
                return -1

        return guarded

    def visit(self, place, url):
        answer = told(ask({"ask": "visit", "place": place_of(place.contents)}))
        if "url" not in answer:
            return 0
        self.returned = ctypes.create_string_buffer(answer["url"].encode())
        url.contents.data, url.contents.length = ctypes.addressof(self.returned), len(self.returned) - 1
        return 1

    def unresolvable(self, place):
        told(ask({"ask": "unresolvable", "place": place_of(place.contents)}))

    def warn(self, offset, message, length):
        told(ask({"ask": "warn", "warning": {"offset": offset, "message": ctypes.string_at(message, length).decode()}}))

    def done(self, report):
        told(ask({"ask": "result", "result": {name: getattr(report.contents, name) for name in Report.counts}}))

    def check(self, status):
        if self.thrown:
            raise self.thrown
        if status != OK:
            raise ValueError(self.result().decode())

    def result(self):
        return ctypes.string_at(result(self.instance), result_length(self.instance))

    def give(self):
        """Gives what the last call has made."""
        if self.request["door"] == "absolink_columns":
            table = Table()
            self.check(columns(self.instance, table))
            at = {name: getattr(table, name).data for name in Place.texts}
            for row in range(table.places):
                place = {"offset": table.offset[row]}
                for i, name in enumerate(Place.texts):
                    length = table.lengths[i * table.places + row]
                    if length:
                        place[name] = ctypes.string_at(at[name], length).decode(errors="replace")
                    at[name] += length + 1
                told(ask({"ask": "list", "place": place}))
        place = Place()
        while next_place(self.instance, place) == OK:
            told(ask({"ask": "list", "place": place_of(place)}))
        data = self.result()
        if data:
            told(ask({"ask": "write", "data": base64.b64encode(data).decode()}))

    def whole(self, f):
        document = base64.b64decode(self.request["document"] or "")
        decoded = DECODED if f is feed and self.charset else 0
        self.check(f(self.instance, self.url, self.charset, decoded, document, len(document)))
        self.give()

    def pieces(self, flags):
        number = stream()
        self.check(open_stream(self.instance, self.url, self.charset, flags, number))
        used, n, least, end = {}, 0, 1 << 60, False
        try:
            while not end:
                answer = ask({"ask": "read", **used})
                piece = base64.b64decode(answer.get("data") or "")
                end, n = answer.get("end"), n + len(piece)
                self.check(write(self.instance, number, piece, len(piece)))
                if n >= 1 << 20:  # each MiB
                    now, n = memory(self.instance), 0
                    least = min(least, now)
                    used = {"used": now - least}
                self.give()
                told(answer)
            self.check(finish(self.instance, number))
        except Exception:
            drop(self.instance, number)  # unless it is gone
            raise
        self.give()

    def run(self):
        self.check(configure(self.instance, self.options, self.functions))
        door = self.request["door"]
        if door == "absolink_rewrite":
            self.whole(rewrite)
        elif door == "absolink_feed":
            self.whole(feed)
        elif door in ("absolink_places", "absolink_columns"):
            self.whole(places)
        else:
            self.pieces(LIST if door == "absolink_next" else 0)


def send(request):
    door = Pass(request)
    try:
        door.run()
    finally:
        free(door.instance)


serve(send)
