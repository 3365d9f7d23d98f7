"""The command, which the package absolink-cli has."""

from __future__ import annotations

import os
import sysconfig
from typing import Callable


def find_command() -> str:
    """Returns the path of the command absolink, which pip install "absolink[cli]" brings."""
    name = "absolink" + (sysconfig.get_config_var("EXE") or "")
    here = os.path.dirname(os.path.abspath(__file__))
    directories = [
        sysconfig.get_path("scripts"),
        os.path.join(os.path.dirname(here), "bin"),  # pip install --target
        os.path.join(here, "bin"),
    ]
    preferred: Callable[[str], str] = getattr(sysconfig, "get_preferred_scheme", lambda _: f"{os.name}_user")  # since Python 3.10
    directories.append(sysconfig.get_path("scripts", preferred("user")))
    for directory in directories:
        path = os.path.join(directory, name)
        if os.path.isfile(path):
            return path
    raise FileNotFoundError(f'the command {name} is missing: pip install "absolink[cli]" brings it; it is not in any of: {", ".join(directories)}')
