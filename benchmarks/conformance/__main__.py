"""Runs every row for every loop and writes the table.

    python -m benchmarks.conformance    # docs/conformance.md and results/conformance.json
    python -m benchmarks.conformance --loops lightning --rows nan,stop   # nothing is written
    python -m benchmarks.conformance --loops surefoot --check     # fails where surefoot is not right

To be run by the python of .venv-bench, which has the peers.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from importlib import metadata

from benchmarks.conformance.call import ROOT
from benchmarks.conformance.cell import LOOPS, Cell, Column, Mark, fill
from benchmarks.conformance.further.page import TITLE
from benchmarks.conformance.page import page
from benchmarks.conformance.rows import ROWS

RESULTS = ROOT / "results" / "conformance.json"
PAGE = ROOT / "docs" / "conformance.md"


def main(argv: Sequence[str] | None = None) -> int:
    options = _options(argv)
    loops = [loop for loop in LOOPS if not options.loops or loop in options.loops]
    rows = [row for row in ROWS if not options.rows or row.name in options.rows]
    with ThreadPoolExecutor(options.jobs) as pool:
        columns = []
        for column in pool.map(lambda loop: fill(loop, rows), loops):
            columns.append(column)
            for cell in column.cells:
                _tell(cell)
    if not options.loops and not options.rows:
        _write(columns)
    own = [cell for column in columns if column.loop == "surefoot" for cell in column.cells]
    return int(options.check and any(cell.mark is not Mark.RIGHT for cell in own))


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--loops", type=_names(LOOPS), default=(), help=", ".join(LOOPS))
    parser.add_argument("--rows", type=_names([row.name for row in ROWS]), default=(), help="names in rows.py")
    parser.add_argument("--jobs", type=int, default=2, help="loops at a time")
    parser.add_argument("--check", action="store_true", help="fail where surefoot is not right")
    return parser.parse_args(argv)


def _names(known: Sequence[str]) -> Callable[[str], list[str]]:
    def parse(text: str) -> list[str]:
        names = text.split(",")
        unknown = [name for name in names if name not in known]
        if unknown:
            raise argparse.ArgumentTypeError(f"no {', '.join(unknown)}; there are {', '.join(known)}")
        return names

    return parse


def _tell(cell: Cell) -> None:
    if cell.shown is None or cell.right is None:
        print(f"{cell.loop:>12}  {cell.row:22} {cell.mark}: {cell.reason}", flush=True)
        return
    for way, shown in cell.shown.items():
        mark = "right" if cell.right[way] else "wrong"
        print(f"{cell.loop:>12}  {cell.row:22} {mark}: {shown}{f'  ({way})' if way else ''}", flush=True)


def _write(columns: Sequence[Column]) -> None:
    torch = metadata.version("torch")
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps({"torch": torch, "loops": [asdict(column) for column in columns]}, indent=1))
    further = PAGE.read_text().partition(f"\n{TITLE}\n")[2]
    PAGE.write_text(page(columns, torch) + (f"\n{TITLE}\n{further}" if further else ""))


if __name__ == "__main__":
    raise SystemExit(main())
