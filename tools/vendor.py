"""Bring the page's one library into the package: npm fetches it by the lock file, and its files are copied."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
LOCK = "package-lock.json"
FOLDER = Path("src", "surefoot", "dashboard", "page", "vendor")
LIBRARY = "node_modules/uplot"
FILES = ("dist/uPlot.esm.js", "dist/uPlot.min.css", "LICENSE")
STAMP = "uPlot.lock"  # which version lies there, with its checksum


class VendorError(Exception):
    """Said as it is."""


def vendor(root: Path = ROOT) -> bool:
    """Whether something had to be done."""
    wanted = _locked(root)
    target = root / FOLDER
    if all(file.is_file() for file in _targets(target)) and (target / STAMP).read_text(encoding="utf-8") == wanted:
        return False
    npm = shutil.which("npm")
    if npm is None:
        raise VendorError(
            "the dashboard's page needs uPlot, which npm fetches, and npm is not installed. Install Node.js, or "
            "surefoot from a wheel, which holds it."
        )
    done = subprocess.run(
        [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
        cwd=root, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise VendorError(f"`npm ci` failed in {root}:\n{done.stderr.strip()[-2000:]}")
    target.mkdir(parents=True, exist_ok=True)
    for source, copy in zip(FILES, _targets(target), strict=False):
        shutil.copyfile(root / LIBRARY / source, copy)
    (target / STAMP).write_text(wanted, encoding="utf-8")
    return True


def _targets(folder: Path) -> list[Path]:
    names = [Path(source).name for source in FILES[:2]]
    return [folder / name for name in (*names, "uPlot.LICENSE", STAMP)]


def _locked(root: Path) -> str:
    library = json.loads((root / LOCK).read_text(encoding="utf-8"))["packages"][LIBRARY]
    return f"{library['version']} {library['integrity']}\n"


def main() -> int:
    try:
        vendor()
    except VendorError as error:
        print(f"surefoot: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
