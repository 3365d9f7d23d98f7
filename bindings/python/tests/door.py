"""Sends documents through the doors of the installed package, for TestBindings of
internal/test/doors: a request in a line of standard input, then questions in lines of
standard output, each with a line that answers it."""

import base64
import json
import re
import sys
import warnings

import absolink


def say(message):
    print(json.dumps(message), flush=True)


def ask(question):
    say(question)
    answer = json.loads(sys.stdin.readline())
    if answer.get("throws"):
        raise OSError(answer["throws"])
    return answer


def door_of(name, options):
    """Returns the function that a door is."""
    if name.startswith("Rewriter."):
        return getattr(absolink.Rewriter(**options), name[len("Rewriter.") :])
    return lambda *args: getattr(absolink, name)(*args, **options)


def send(request):
    options = {re.sub("[A-Z]", lambda m: "_" + m[0].lower(), name): value for name, value in request["options"].items()}
    if "visit" in request["functions"]:
        raise TypeError("the wheel calls no functions")
    document = base64.b64decode(request["document"] or "")
    if request["mode"] == "text":
        document = document.decode()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = door_of(request["door"], options)(document, request.get("url"))
        if request["door"].endswith("places"):
            result = list(result)
    if "warn" in request["functions"]:
        for warning in caught:
            ask({"ask": "warn", "warning": {"offset": -1, "message": str(warning.message)}})
    if isinstance(result, list):
        for place in result:
            ask({"ask": "list", "place": place})
        return
    if isinstance(result, str):
        result = result.encode()
    ask({"ask": "write", "data": base64.b64encode(result).decode()})


for line in sys.stdin:
    error = None
    try:
        send(json.loads(line))
    except Exception as e:
        error = str(e)
    say({"ask": "done", "error": error})
