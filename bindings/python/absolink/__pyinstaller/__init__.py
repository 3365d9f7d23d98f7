"""Tells PyInstaller of the library: the entry point pyinstaller40 names this package."""

import os
from typing import List


def hooks() -> List[str]:
    return [os.path.dirname(__file__)]
