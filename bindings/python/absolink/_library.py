"""The C library (absolink.h), its instances, and the functions that it calls."""

from __future__ import annotations

import ctypes
import itertools
import os
import sys
import tempfile
import threading
import weakref
from threading import get_ident
from types import CoroutineType
from typing import Any, Callable, List, Optional, Tuple

from ._place import Place, Result, values_of

_Callback = Callable[..., Any]

_NAME = {"win32": "absolink.dll", "darwin": "libabsolink.dylib"}.get(sys.platform, "libabsolink.so")


_Holding = getattr(ctypes, "PyDLL", ctypes.CDLL)  # PyPy has the latter alone


def _load() -> Tuple[ctypes.CDLL, ctypes.CDLL]:
    """Returns the library twice: its calls let other threads run, or keep the GIL."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), _NAME)
    if os.path.exists(path):
        return ctypes.CDLL(path), _Holding(path)
    loader: Any = globals().get("__loader__")
    try:
        data = loader.get_data(path)  # of a zip file
    except (AttributeError, OSError) as error:
        raise ImportError(f"absolink: {path} is missing") from error
    if hasattr(os, "memfd_create"):
        fd = os.memfd_create(_NAME, os.MFD_CLOEXEC)
        try:
            with open(fd, "wb", closefd=False) as f:
                f.write(data)
            # The loader does not look again at a name that it has seen, and other packages load
            # what is at /proc/self/fd/N, too.
            path = f"/proc/self/fd/../fd/{fd}"
            return ctypes.CDLL(path), _Holding(path)
        finally:
            os.close(fd)
    if sys.platform == "win32":
        raise ImportError("absolink: Windows loads no library from a zip file: unpack the package")
    with tempfile.NamedTemporaryFile(suffix=_NAME) as f:
        f.write(data)
        f.flush()
        return ctypes.CDLL(f.name), _Holding(f.name)


_library, _holding = _load()
_pointer, _text, _size, _int, _stream = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_uint64


def _function(library: ctypes.CDLL, name: str, result: Any, *arguments: Any) -> Any:
    f = getattr(library, "absolink_" + name)
    f.restype, f.argtypes = result, arguments
    return f


class _Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("length", ctypes.c_size_t)]


class _Span(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]


class _Table(ctypes.Structure):
    _fields_ = [("places", ctypes.c_size_t), ("offset", ctypes.c_void_p), ("lengths", ctypes.c_void_p), ("texts", _Span * 9)]


_VISIT = ctypes.CFUNCTYPE(_int, _pointer, _pointer, _pointer)
_UNRESOLVABLE = ctypes.CFUNCTYPE(_int, _pointer, _pointer)
_DONE = ctypes.CFUNCTYPE(_int, _pointer, _pointer)
_WARN = ctypes.CFUNCTYPE(_int, _pointer, ctypes.c_int64, _pointer, _size)


class _Functions(ctypes.Structure):
    _fields_ = [("context", _pointer), ("visit", _VISIT), ("unresolvable", _UNRESOLVABLE), ("warn", _WARN), ("done", _DONE)]


_new = _function(_library, "new", _pointer)
_free = _function(_library, "free", None, _pointer)
_configure = _function(_library, "configure", _int, _pointer, _text, _pointer)
_result = _function(_holding, "result", _pointer, _pointer)
_length = _function(_holding, "result_length", _size, _pointer)
_next = _function(_holding, "next", _int, _pointer, _pointer)
_columns = _function(_holding, "columns", _int, _pointer, _pointer)
_open = _function(_holding, "open", _int, _pointer, _text, _text, ctypes.c_uint, _pointer)
_drop = _function(_holding, "drop", _int, _pointer, _stream)
_memory = _function(_holding, "memory", _size, _pointer)
_called = _function(_holding, "called", ctypes.c_uint64, _pointer)
_version = _function(_holding, "version", _text)
# A call of some microseconds keeps the GIL: a thread that has let it go may wait for
# milliseconds until it has it again.
_rewrite, _rewrite_short = (_function(x, "rewrite", _int, _pointer, _text, _text, ctypes.c_uint, _text, _size) for x in (_library, _holding))
_write, _write_short = (_function(x, "write", _int, _pointer, _stream, _text, _size) for x in (_library, _holding))
_finish, _finish_short = (_function(x, "finish", _int, _pointer, _stream) for x in (_library, _holding))
_feed, _feed_short = (_function(x, "feed", _int, _pointer, _text, _text, ctypes.c_uint, _text, _size) for x in (_library, _holding))
_resolve, _resolve_short = (_function(x, "resolve", _int, _pointer, _text, _size, _text, _text) for x in (_library, _holding))
_attribute = _function(_holding, "attribute", _int, _pointer, _text, _pointer)
_resolve_all, _resolve_all_short = (_function(x, "resolve_all", _int, _pointer, _pointer, _size, _text, _text, _pointer) for x in (_library, _holding))
_SHORT = 4096

_bytes_at: Callable[[int, int], bytes]
try:
    # Of any length, unlike string_at. The attribute of pythonapi is one for the whole process.
    _bytes_at = ctypes.PYFUNCTYPE(ctypes.py_object, _pointer, ctypes.c_ssize_t)(("PyBytes_FromStringAndSize", ctypes.pythonapi))
except AttributeError:  # in PyPy
    _bytes_at = ctypes.string_at

_OK, _END, _ENDED, _MEMORY, _BUSY = 0, -1, 4, 5, 6  # of enum absolink_status
SHEET, LIST, DECODED, ON_FEED = 1, 2, 4, 8  # of enum absolink_flags
PIECE = 1 << 20  # of a long document: between pieces, Python sees signals

_IDLE = 16  # instances that are kept
_DEEPEST = 16  # calls within calls, each of which has an instance
_STREAMS = 100  # that share an instance
_LARGEST = 48 << 20  # memory of an instance that is given another stream


class _Calls(threading.local):
    """How deep in calls of the library a thread is."""

    deep = 0


_calls = _Calls()


class Settings:
    """The options of a Rewriter, as the library takes them, and its functions."""

    __slots__ = ("options", "visit", "unresolvable", "warn", "done", "calls")

    def __init__(self, options: bytes, visit: Optional[_Callback], unresolvable: Optional[_Callback], warn: Optional[_Callback], done: Optional[_Callback]) -> None:
        self.options, self.visit, self.unresolvable, self.warn, self.done = options, visit, unresolvable, warn, done
        self.calls = bool(visit or unresolvable or warn or done)


class _Told:
    """The functions that the library calls, for one instance."""

    def __init__(self) -> None:
        self.instance: Any = None
        self.settings: Optional[Settings] = None
        self.unheard: Callable[[int, str], None]  # is told what warn would be, where that is absent
        self.thrown: Optional[BaseException] = None
        self.ended = 0  # how many calls have come to their end
        self.before: Callable[[Any], Any]  # the sys.unraisablehook of others
        self.returned: Any = None  # the bytes of the URL that visit has returned
        self.functions = _Functions(None, _VISIT(self.visit), _UNRESOLVABLE(self.unresolvable), _WARN(self.warn), _DONE(self.done))

    def visit(self, _: int, place: int, url: int) -> int:
        try:
            if self.thrown is not None:
                return -1
            returned = self.show(self.settings.visit, place)  # type: ignore[union-attr]
            if returned is None:
                self.ended += 1
                return 0
            if not isinstance(returned, str):
                if isinstance(returned, CoroutineType):
                    returned.close()  # nobody waits for it
                raise TypeError(f"visit returned {type(returned).__name__}, neither str nor None; it cannot be async")
            text = _Text.from_address(url)
            text.data = data = returned.encode()
            text.length = len(data)
            self.returned = text
            self.ended += 1
            return 1
        except BaseException as error:
            self.thrown = error
            return -1

    def show(self, function: Any, address: int) -> Any:
        place = Place(address)
        place._asks = self.attribute
        try:
            return function(place)
        finally:
            place._asks = None

    def attribute(self, name: str) -> Optional[str]:
        if "\0" in name:
            return None
        value = _Text()
        status = _attribute(self.instance, name.encode("utf-8", "replace"), ctypes.byref(value))
        if status not in (_OK, _END):
            raise ValueError("attribute reads a place in the thread that is given it")
        return value.data.decode("utf-8", "replace") if status == _OK else None

    def unresolvable(self, _: int, place: int) -> int:
        try:
            if self.thrown is not None:
                return -1
            self.show(self.settings.unresolvable, place)  # type: ignore[union-attr]
            self.ended += 1
            return 0
        except BaseException as error:
            self.thrown = error
            return -1

    def warn(self, _: int, offset: int, message: int, length: int) -> int:
        try:
            if self.thrown is not None:
                return -1
            (self.settings.warn or self.unheard)(offset, ctypes.string_at(message, length).decode(errors="replace"))  # type: ignore[union-attr]
            self.ended += 1
            return 0
        except BaseException as error:
            self.thrown = error
            return -1

    def done(self, _: int, report: int) -> int:
        try:
            if self.thrown is not None:
                return -1
            self.settings.done(Result.at(report))  # type: ignore[union-attr, misc]
            self.ended += 1
            return 0
        except BaseException as error:
            self.thrown = error
            return -1

    def hook(self, unraisable: Any) -> None:
        """Is sys.unraisablehook during calls of the main thread, which alone gets signals.

        A signal may come when one of the functions begins, before its try: ctypes would print
        what its handler raises, and go on. In another thread, another thread may raise an
        exception (PyThreadState_SetAsyncExc), which the count of calls shows to be missing.
        """
        trace = unraisable.exc_traceback
        if trace is not None and trace.tb_frame.f_code in _codes:
            trace.tb_frame.f_locals["self"].thrown = unraisable.exc_value
        else:
            self.before(unraisable)


_main = [threading.main_thread().ident]
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: (_main.__setitem__(0, get_ident()), Shared.unlock()))

_codes = {f.__code__ for f in (_Told.visit, _Told.unresolvable, _Told.warn, _Told.done)}


class Instance:
    """An instance of the library. One thread uses it at a time."""

    __slots__ = ("_a", "_settings", "_told", "ended")

    def __init__(self) -> None:
        self._a = None
        self.ended = False  # it has failed, and has lost its streams
        self._settings: Optional[Settings] = None
        self._told = _Told()
        self._a = self._told.instance = _new()
        if not self._a:
            raise MemoryError("absolink has no memory, or not 64 MB of addresses (ulimit -v)")

    def close(self, _free: Any = _free) -> None:
        """Gives the instance to the library, with its streams and with what went wrong."""
        a, self._a = getattr(self, "_a", None), None
        if a:
            _free(a)
            del self._told.functions  # which refer to it

    __del__ = close

    def give(self) -> None:
        """Keeps the instance for another call, without the functions of the caller."""
        if self._told.settings is not None and self._told.settings.calls:
            self._settings = self._told.settings = self._told.returned = None
        if len(_idle) < _IDLE:
            _idle.append(self)

    def __enter__(self) -> Instance:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        # A signal may come at any time, and leave anything undone.
        if kind is None:
            self.give()
        else:
            self.close()

    def configure(self, settings: Settings) -> None:
        self._settings = None
        told = self._told
        all = told.functions
        some = _Functions(None, all.visit if settings.visit else _VISIT(), all.unresolvable if settings.unresolvable else _UNRESOLVABLE(), all.warn, all.done if settings.done else _DONE())
        status = _configure(self._a, settings.options, ctypes.byref(some))
        if status != _OK:
            self._fail(status)
        told.settings = self._settings = settings

    def _call(self, f: Any, *arguments: Any) -> None:
        told = self._told
        told.ended = 0
        if _calls.deep >= _DEEPEST:
            raise RecursionError(f"functions of the options call absolink within calls of absolink, {_DEEPEST} deep")
        try:
            _calls.deep += 1  # greenlets end their calls in any order
            if get_ident() != _main[0] or getattr(sys.unraisablehook, "__func__", None) is _Told.hook:
                status = f(self._a, *arguments)
            else:
                told.before = before = sys.unraisablehook
                try:
                    sys.unraisablehook = told.hook
                    status = f(self._a, *arguments)
                finally:
                    sys.unraisablehook = before
        finally:
            _calls.deep -= 1
        lost = told.ended != _called(self._a)
        if lost or status != _OK or told.thrown is not None:
            self._fail(status, lost)

    def _fail(self, status: int, lost: bool = False) -> None:
        thrown, self._told.thrown = self._told.thrown, None
        if thrown is not None:
            try:
                raise thrown
            finally:
                del thrown
        if lost:
            raise RuntimeError("what was raised as visit, unresolvable, warn or done began is lost: Python has printed it")
        message = self.result().decode(errors="replace")
        if status == _ENDED:
            self.ended = True
        if status in (_ENDED, _BUSY):
            raise RuntimeError(message)
        if status == _MEMORY:
            raise MemoryError(message)
        raise ValueError(message)

    def result(self) -> bytes:
        return _bytes_at(_result(self._a), _length(self._a))

    def tells(self, unheard: Callable[[int, str], None]) -> None:
        self._told.unheard = unheard

    def rewrite(self, url: Optional[bytes], charset: Optional[bytes], flags: int, document: bytes) -> bytes:
        n = len(document)
        self._call(_rewrite if n > _SHORT else _rewrite_short, url, charset, flags, document, n)
        return self.result()

    def rewrite_feed(self, url: Optional[bytes], charset: Optional[bytes], flags: int, feed: bytes) -> bytes:
        n = len(feed)
        self._call(_feed if n > _SHORT else _feed_short, url, charset, flags, feed, n)
        return self.result()

    def open(self, url: Optional[bytes], charset: Optional[bytes], flags: int) -> int:
        stream = _stream()
        self._call(_open, url, charset, flags, ctypes.byref(stream))
        return stream.value

    def write(self, stream: int, piece: bytes, length: int) -> None:
        """Takes a piece of a document that has had length bytes with it: a short one may be the end of much that was held."""
        self._call(_write if length > _SHORT else _write_short, stream, piece, len(piece))

    def finish(self, stream: int, length: int) -> None:
        """Ends a document that has had length bytes."""
        self._call(_finish if length > _SHORT else _finish_short, stream)

    def drop(self, stream: int) -> None:
        """Gives a document up."""
        _drop(self._a, stream)

    def places(self) -> List[Place]:
        """Returns the places that the last call has listed."""
        found: List[Place] = []
        place = ctypes.create_string_buffer(Place.SIZE)
        at = ctypes.addressof(place)
        while _next(self._a, at) == _OK:
            found.append(Place(at))
        return found

    def columns(self) -> List[List[Any]]:
        """Returns the columns of the places that the last call has listed."""
        table: Any = _Table()
        status = _columns(self._a, ctypes.byref(table))
        if status != _OK:
            self._fail(status)
        n = table.places
        if n == 0:
            return []
        offsets: List[Any] = (ctypes.c_int64 * n).from_address(table.offset)[:]
        lengths = (ctypes.c_uint32 * (9 * n)).from_address(table.lengths)
        return [offsets, *(values_of(i, _bytes_at(text.data, text.length), lengths[i * n : (i + 1) * n]) for i, text in enumerate(table.texts))]

    def resolve(self, ref: bytes, base: bytes, profile: bytes) -> bytes:
        n = len(ref)
        self._call(_resolve if n > _SHORT else _resolve_short, ref, n, base, profile)
        return self.result()

    def resolve_all(self, refs: bytes, lengths: List[int], base: bytes, profile: bytes) -> Tuple[bytes, List[int]]:
        """Resolves references that stand one after another. Returns the absolute forms, each with a NUL after it, and where each ends."""
        n = len(lengths)
        start: Any = ctypes.cast(ctypes.c_char_p(refs), _pointer).value
        values = [0] * (2 * n)
        values[0::2] = list(itertools.accumulate(lengths[:-1], initial=start))[:n]
        values[1::2] = lengths
        texts = (_size * (2 * n))(*values)  # of struct absolink_text
        self._call(_resolve_all if len(refs) > _SHORT else _resolve_all_short, texts, n, base, profile, texts)
        if n == 0:
            return b"", []
        starts, lengths = texts[0::2], texts[1::2]
        ends = [start - starts[0] + length for start, length in zip(starts, lengths)]
        return _bytes_at(starts[0], ends[-1]), ends


# Instances that no call uses. Taking one and giving one are atomic, so that there is no lock
# that a fork could leave locked. What another thread uses during a fork, the child never sees.
_idle: List[Instance] = []


def take(settings: Optional[Settings]) -> Instance:
    """Returns an instance with settings; None are any."""
    try:
        instance = _idle.pop()
    except IndexError:
        instance = Instance()
    if settings is not None and instance._settings is not settings:
        try:
            instance.configure(settings)
        except BaseException:
            instance.close()
            raise
    return instance


class Shared:
    """An instance and the documents in pieces that are in it at a time.

    In the middle of a call, its thread may run other code: of the collector, a signal handler or
    a warning. That code finds the instance busy, and leaves it and its result alone.
    """

    __slots__ = ("instance", "lock", "busy", "streams", "dropped", "clean", "__weakref__")
    _all: "weakref.WeakSet[Shared]" = weakref.WeakSet()

    def __init__(self, settings: Settings) -> None:
        self.instance: Optional[Instance] = take(settings)
        self.lock = threading.RLock()
        self.busy = False
        self.streams = 1
        self.dropped: List[int] = []  # streams that are to be dropped
        self.clean = True  # no call has raised an exception
        self._all.add(self)

    @classmethod
    def unlock(cls) -> None:
        """Is called after a fork: what other threads had locked, nobody would unlock. What they were busy with stays so."""
        for shared in list(cls._all):
            shared.lock = threading.RLock()

    @classmethod
    def of_thread(cls, settings: Settings) -> Shared:
        """Returns the instance of this thread for another stream."""
        shared: Optional[Shared] = getattr(_local, "shared", None)
        if shared is not None:
            with shared.lock:
                shared.streams += 1  # the collector may end the others meanwhile
                instance = shared.instance
                if instance is not None and not shared.busy and not instance.ended and shared.streams <= _STREAMS and _memory(instance._a) <= _LARGEST:
                    return shared
                shared.streams -= 1
                shared.sweep()
        _local.shared = shared = cls(settings)
        return shared

    def sweep(self) -> None:
        """Drops what is to be dropped. Without streams, the instance goes back."""
        if self.busy:
            return
        try:
            self.busy = True
            instance = self.instance
            while self.dropped and instance is not None:
                instance.drop(self.dropped.pop())
                self.streams -= 1
            if self.streams == 0 and instance is not None:
                self.instance = None
                if self.clean:
                    instance.give()
                else:
                    instance.close()
        finally:
            self.busy = False


_local = threading.local()


class Stream:
    """A document in pieces.

    Those without functions share the instance of their thread, of which an open one would
    otherwise take 5 MB. A function may use other streams in a call of the instance, so a
    stream that has one has an instance for itself.
    """

    __slots__ = ("_shared", "_unheard", "_made", "_number")

    def __init__(self, settings: Settings, url: Optional[bytes], charset: Optional[bytes], flags: int, unheard: Callable[[int, str], None], made: Callable[[Instance], Any] = Instance.result) -> None:
        """made returns what a call has made."""
        self._unheard, self._made, self._number = unheard, made, 0
        self._shared = Shared(settings) if settings.calls else Shared.of_thread(settings)
        try:
            self._call(lambda instance: self._open(instance, settings, url, charset, flags))
        except BaseException:
            self.end()
            raise

    def _open(self, instance: Instance, settings: Settings, *source: Any) -> None:
        if instance._settings is not settings:
            instance.configure(settings)
        self._number = instance.open(*source)

    def _call(self, f: Callable[[Instance], None]) -> Any:
        shared = self._shared
        with shared.lock:
            shared.sweep()
            instance = shared.instance
            if instance is None or instance.ended:
                raise RuntimeError("absolink has stopped working on another document")
            if shared.busy:
                raise RuntimeError("this document cannot go on in the middle of a call about another one")
            try:
                shared.busy = True
                instance.tells(self._unheard)
                f(instance)
                return self._made(instance)
            except BaseException:
                shared.clean = False
                raise
            finally:
                shared.busy = False

    def write(self, piece: bytes, length: int) -> Any:
        """Takes a piece, and returns what the document becomes so far: see Instance.write."""
        return self._call(lambda instance: instance.write(self._number, piece, length))

    def finish(self, length: int) -> Any:
        """Ends the document, and returns the rest."""
        return self._call(lambda instance: instance.finish(self._number, length))

    def end(self) -> None:
        """Gives the document up, unless it has come to its end. The collector may call it at any time, also in a call."""
        shared = self._shared
        shared.dropped.append(self._number)
        if shared.lock.acquire(blocking=False):
            try:
                shared.sweep()
            finally:
                shared.lock.release()
