"""The server of this process: "absolink serve" on a socket in a directory of its own."""

from __future__ import annotations

import atexit
import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
import warnings
from typing import Optional

_lock = threading.Lock()
_local = threading.local()  # has the connection of a thread, and the server it leads to
_server: Optional["_Server"] = None


def find_command() -> str:
    """Returns the path of the command that the package has brought."""
    name = "absolink" + (sysconfig.get_config_var("EXE") or "")
    here = os.path.dirname(os.path.abspath(__file__))
    directories = [
        sysconfig.get_path("scripts"),
        os.path.join(os.path.dirname(here), "bin"),  # pip install --target
        os.path.join(here, "bin"),
    ]
    try:
        directories.append(sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")))  # type: ignore[attr-defined]
    except (AttributeError, KeyError):  # before Python 3.10
        directories.append(sysconfig.get_path("scripts", "nt_user" if os.name == "nt" else "posix_user"))
    for directory in directories:
        path = os.path.join(directory, name)
        if os.path.isfile(path):
            return path
    raise FileNotFoundError(f"the command {name} is not in any of: {', '.join(directories)}")


class _Server:
    """A running server. It ends when its standard input does: with this process at the latest."""

    def __init__(self) -> None:
        if not hasattr(socket, "AF_UNIX") or sys.platform == "win32":
            raise OSError("absolink: this system has no Unix sockets in Python, so that the package has the command alone: absolink.find_command()")
        self.pid = os.getpid()
        self.directory = tempfile.mkdtemp(prefix="absolink-")  # which this user alone can enter
        self.path = os.path.join(self.directory, "s")
        command = [find_command(), "serve", "--listen", "unix:" + self.path, "--until-eof", "--log", "none", "--max-body", str(1 << 31), "--timeout", "10m"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 60
        while not self._listens():
            if self.process.poll() is not None or time.monotonic() > deadline:
                said = b""
                if self.process.poll() is not None and self.process.stderr:
                    said = self.process.stderr.read()
                self.end()
                raise OSError(f"absolink serve does not start: {said.decode(errors='replace').strip() or 'it does not listen'}")
            time.sleep(0.001)

    def _listens(self) -> bool:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
            try:
                s.connect(self.path)
            except OSError:
                return False
            return True

    def runs(self) -> bool:
        return self.process.poll() is None

    def forget(self) -> None:
        """Closes what leads to the server, which goes on for another process."""
        for pipe in (self.process.stdin, self.process.stderr):
            if pipe:
                pipe.close()
        self.process.returncode = 0  # it is another process's child

    def end(self) -> None:
        if self.process.stdin:
            self.process.stdin.close()
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stderr:
            self.process.stderr.close()
        shutil.rmtree(self.directory, ignore_errors=True)


class LimitWarning(UserWarning):
    """Says which limits a document has met, such as "hold": what is beyond a limit does not count, or stays as it is.

    Each one is shown, also where several are alike, unless a filter of the program says otherwise.
    """


warnings.simplefilter("always", LimitWarning, append=True)


class _Response(http.client.HTTPResponse):
    """Keeps the trailers of a long answer, which http.client reads and drops."""

    def _read_and_discard_trailer(self) -> None:
        for name, value in http.client.parse_headers(self.fp).items():  # type: ignore[attr-defined]
            self.headers[name] = value


class _Connection(http.client.HTTPConnection):
    response_class = _Response

    def __init__(self, server: _Server) -> None:
        super().__init__("localhost")
        self.server = server

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)  # or what the system allows
        self.sock.connect(self.server.path)


def _connection() -> _Connection:
    """Returns the connection of this thread to the server of this process."""
    global _server
    connection: Optional[_Connection] = getattr(_local, "connection", None)
    if connection is not None and connection.server is _server:
        return connection
    with _lock:
        if _server is not None and not _server.runs():
            _server.end()
            _server = None
        if _server is None:
            _server = _Server()
            _end_with_worker()
        _local.connection = _Connection(_server)
        return _local.connection


def call(target: str, content_type: Optional[str] = None, body: Optional[bytes] = None) -> bytes:
    """Returns the answer to a request. A server that has ended is started again, once."""
    global _server
    method = "GET" if body is None else "POST"
    headers = {"Accept-Encoding": "identity"}
    if content_type is not None:
        headers["Content-Type"] = content_type
    for last in (False, True):
        connection = _connection()
        try:
            connection.request(method, target, body, headers)
            response = connection.getresponse()
            answer = response.read()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            _local.connection = None
            if last:
                raise OSError(f"absolink serve has ended while it worked on this document: {error}") from error
            with _lock:
                # A crash takes a moment to be seen.
                if _server is connection.server and _server is not None:
                    _server.end()
                    _server = None
            continue
        if response.status != 200:
            try:
                detail = json.loads(answer)["detail"]
            except (ValueError, KeyError):
                detail = f"status {response.status}"
            raise ValueError(detail)
        limits = response.getheader("Absolink-Limits")
        if limits:
            base = response.getheader("Absolink-Base")
            which = f" with the base {re.sub('//[^/?#]*@', '//', base, count=1)}" if base else ""
            warnings.warn(f"a part of the document{which} is longer than may be held: {limits}", LimitWarning, stacklevel=_depth())
        return answer
    raise AssertionError("unreachable")


def _depth() -> int:
    """Returns how many frames below its caller the first is that is not of this package."""
    depth, frame = 1, sys._getframe(1)
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == os.path.dirname(__file__):
        depth, frame = depth + 1, frame.f_back
    return depth


def _end() -> None:
    global _server
    if _server is not None and _server.pid == os.getpid():
        _server.end()
        _server = None


def _forked() -> None:
    """In a new process, the server belongs to the other."""
    global _server, _lock, _local
    if _server is not None:
        _server.forget()
    _server, _lock, _local = None, threading.Lock(), threading.local()


def _end_with_worker() -> None:
    """Workers of multiprocessing end without atexit."""
    util = sys.modules.get("multiprocessing.util")
    if util is not None:
        util.Finalize(None, _end, exitpriority=10)


atexit.register(_end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
