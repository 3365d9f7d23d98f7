"""Makes the wheels of a platform: wheel.py OUT VERSION PLATFORM LIBRARY COMMAND TIME.

LIBRARY is a directory that bindings/native/build has made, for the wheel absolink. COMMAND is
for the wheel absolink-cli. Where one is "", there is no such wheel. The same files give the
same bytes. TIME is in seconds since 1970.
"""

import base64
import hashlib
import os
import re
import sys
import time
import zipfile

here = os.path.dirname(os.path.abspath(__file__))


def normal(version):
    """Returns a version of Go as PEP 440 writes it."""
    m = re.fullmatch(r"v?(\d+\.\d+\.\d+)(?:-(alpha|beta|rc)\.?(\d+))?(?:[-.](?:0\.)?(\d{14})-([0-9a-f]+))?(?:\+.*)?", version)
    if not m:
        return "0.0.0.dev0"
    release, kind, n, date, revision = m.groups()
    if kind:
        n = int(n) + 1 if date else n  # the one that follows
        release += {"alpha": "a", "beta": "b", "rc": "rc"}[kind] + str(n)
    return release + (f".dev{date}+{revision}" if date else "")


def read(*path):
    with open(os.path.join(here, *path), "rb") as f:
        return f.read()


def wheel(out, name, version, platform, files, fields, readme, epoch):
    """Writes the wheel of a package, which has files, and prints its path."""
    info = f"{name}-{version}.dist-info"
    files = dict(files)
    for licence, data in fields.pop("licences").items():
        files[f"{info}/licenses/{licence}"] = data
    entry_points = fields.pop("entry points", None)
    if entry_points:
        files[info + "/entry_points.txt"] = entry_points.encode()
    metadata = [("Metadata-Version", "2.4"), ("Name", name.replace("_", "-")), ("Version", version)]
    metadata += [(key, value) for key, values in fields.items() for value in ([values] if isinstance(values, str) else values)]
    head = "".join(f"{key}: {value}\n" for key, value in metadata)
    files[info + "/METADATA"] = f"{head}Description-Content-Type: text/markdown\n\n{readme}".encode()
    tags = "".join(f"Tag: py3-none-{p}\n" for p in platform.split("."))
    files[info + "/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: absolink\nRoot-Is-Purelib: false\n{tags}".encode()
    record = info + "/RECORD"
    hashes = {path: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=") for path, data in files.items()}
    files[record] = "".join(f"{path},sha256={hashes[path]},{len(data)}\n" for path, data in files.items()).encode() + f"{record},,\n".encode()
    path = os.path.join(out, f"{name}-{version}-py3-none-{platform}.whl")
    with zipfile.ZipFile(path, "w") as z:
        for file, data in files.items():
            entry = zipfile.ZipInfo(file, time.gmtime(max(int(epoch), 315532800))[:6])
            entry.external_attr = (0o100755 if "/scripts/" in file else 0o100644) << 16
            entry.create_system = 3
            entry.compress_type = zipfile.ZIP_DEFLATED
            z.writestr(entry, data, compresslevel=9)
    print(path)


def module(version, platform, library):
    """Returns the files of the package absolink."""
    files = {}
    for root, directories, names in os.walk(os.path.join(here, "absolink")):
        directories.sort()
        for name in sorted(names):
            if name.endswith((".py", ".typed")):
                path = os.path.join(root, name)
                files[os.path.relpath(path, here).replace(os.sep, "/")] = read(path)
    init = "absolink/__init__.py"
    files[init] = files[init].replace(b'__version__ = "0.0.0"', f'__version__ = "{version}"'.encode())
    name = {"win": "absolink.dll", "mac": "libabsolink.dylib"}.get(platform[:3], "libabsolink.so")
    files["absolink/" + name] = read(library, "bin" if name.endswith(".dll") else "lib", name)
    return files


def main(out, version, platform, library, command, epoch):
    version = normal(version)
    licence = read("..", "..", "LICENSE")
    common = {"Requires-Python": ">=3.9"}
    if library:
        licences = {name: read(library, "share", "doc", "absolink", name) for name in ("LICENSE", "LICENSE.go", "LICENSE.wabt")}
        fields = {
            "Summary": "Makes every link in an HTML document absolute, and changes nothing else",
            "License-Expression": "MIT AND Apache-2.0 AND BSD-3-Clause",
            "License-File": list(licences),
            **common,
            "Provides-Extra": "cli",
            "Requires-Dist": f'absolink-cli=={version}; extra == "cli"',
            "Classifier": "Typing :: Typed",
            "licences": licences,
            "entry points": "[pyinstaller40]\nhook-dirs = absolink.__pyinstaller:hooks\n",
        }
        wheel(out, "absolink", version, platform, module(version, platform, library), fields, read("README.md").decode(), epoch)
    if command:
        fields = {
            "Summary": "The command absolink, which makes every link in an HTML document absolute",
            "License-Expression": "MIT",
            "License-File": "LICENSE",
            **common,
            "licences": {"LICENSE": licence},
        }
        script = f"absolink_cli-{version}.data/scripts/absolink" + (".exe" if platform.startswith("win") else "")
        readme = "# absolink-cli\n\nThe command `absolink`, which makes every link in an HTML document absolute, and changes nothing else. The package `absolink` has the module for Python.\n"
        wheel(out, "absolink_cli", version, platform, {script: read(command)}, fields, readme, epoch)


if __name__ == "__main__":
    main(*sys.argv[1:])
