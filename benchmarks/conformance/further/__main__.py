"""Run all further rows on surefoot, and write them at the end of docs/conformance.md.

python -m benchmarks.conformance.further [--check]
"""

import argparse
import contextlib
import io

import torch

from benchmarks.conformance.call import ROOT
from benchmarks.conformance.further import habits, losses
from benchmarks.conformance.further.page import replace_section, section
from benchmarks.conformance.further.row import outcome_of

PAGE = ROOT / "docs" / "conformance.md"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail at a row that is not right")
    options = parser.parse_args()
    torch.set_num_threads(1)
    with contextlib.redirect_stderr(io.StringIO()):
        parts = {
            "Losses": [(row, outcome_of(row)) for row in losses.rows()],
            "Habits, and resuming": [(row, outcome_of(row)) for row in habits.rows()],
        }
    wrong = [f"{row.title}: {found.said}" for part in parts.values() for row, found in part if not found.is_right(row)]
    print("\n".join(wrong))
    if not options.check:
        PAGE.write_text(replace_section(PAGE.read_text(), section(parts)))
    return int(options.check and bool(wrong))


if __name__ == "__main__":
    raise SystemExit(main())
