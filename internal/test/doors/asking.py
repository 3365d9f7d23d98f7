"""How a program in Python speaks with TestBindings: a request in a line of standard input, then
questions in lines of standard output, each with a line that answers it."""

import json
import sys


def say(message):
    print(json.dumps(message), flush=True)


def ask(question):
    say(question)
    answer = json.loads(sys.stdin.readline())
    if answer.get("panics"):
        raise SystemError("undefined")
    return answer


def told(answer):
    """Returns an answer that is not an error."""
    if answer.get("throws"):
        raise OSError(answer["throws"])
    return answer


def serve(send):
    """Calls send with each request, until there are no more."""
    for line in sys.stdin:
        error = None
        try:
            send(json.loads(line))
        except Exception as e:
            error = str(e)
        say({"ask": "done", "error": error})
