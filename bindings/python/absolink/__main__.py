"""python -m absolink runs the command, which pip install "absolink[cli]" brings."""

import os
import subprocess
import sys

from . import find_command


def main() -> int:
    try:
        command = find_command()
    except FileNotFoundError as error:
        print(f"absolink: {error}", file=sys.stderr)
        return 1
    if os.name == "nt":
        return subprocess.call([command, *sys.argv[1:]])
    os.execv(command, [command, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
