"""Makes a wheel of the package with a command: wheel.py OUT VERSION PLATFORM COMMAND TIME.

The same files give the same bytes. TIME is in seconds since 1970.
"""

import base64
import hashlib
import os
import re
import sys
import time
import zipfile

out, version, platform, command, epoch = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))


def normal(version):
    """Returns a version of Go as PEP 440 writes it."""
    m = re.fullmatch(r"v?(\d+\.\d+\.\d+)(?:-(?:0\.)?(\d{14})-([0-9a-f]+))?(?:\+.*)?", version)
    if not m:
        return "0.0.0.dev0"
    return m[1] + (f".dev{m[2]}+{m[3]}" if m[2] else "")


version = normal(version)
info = f"absolink-{version}.dist-info"
with open(os.path.join(here, "README.md"), encoding="utf-8") as f:
    readme = f.read()
with open(os.path.join(here, "..", "..", "LICENSE"), "rb") as f:
    licence = f.read()
files = {}
for name in sorted(os.listdir(os.path.join(here, "absolink"))):
    if name.endswith((".py", ".typed")):
        with open(os.path.join(here, "absolink", name), "rb") as f:
            files["absolink/" + name] = f.read()
with open(command, "rb") as f:
    files[f"absolink-{version}.data/scripts/absolink" + (".exe" if platform.startswith("win") else "")] = f.read()
files[info + "/LICENSE"] = licence
files[info + "/METADATA"] = f"""Metadata-Version: 2.1
Name: absolink
Version: {version}
Summary: Makes every link in an HTML document absolute, and changes nothing else
License: MIT
Requires-Python: >=3.9
Classifier: Typing :: Typed
Description-Content-Type: text/markdown

{readme}""".encode()
tags = "".join(f"Tag: py3-none-{p}\n" for p in platform.split("."))
files[info + "/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: absolink\nRoot-Is-Purelib: false\n{tags}".encode()
record = info + "/RECORD"
files[record] = "".join(f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip('=')},{len(data)}\n" for name, data in files.items()).encode() + f"{record},,\n".encode()

path = os.path.join(out, f"absolink-{version}-py3-none-{platform}.whl")
with zipfile.ZipFile(path, "w") as z:
    for name, data in files.items():
        entry = zipfile.ZipInfo(name, time.gmtime(max(int(epoch), 315532800))[:6])
        entry.external_attr = (0o100755 if "/scripts/" in name else 0o100644) << 16
        entry.create_system = 3
        entry.compress_type = zipfile.ZIP_DEFLATED
        z.writestr(entry, data, compresslevel=9)
print(path)
