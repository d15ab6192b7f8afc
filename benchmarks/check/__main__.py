"""`python -m benchmarks.check [NAME ...]`: no clean program may be accused, and every defect must be shown.

`--clean` leaves the defects out, `--defects` the clean programs; `--all-checks` makes all checks of a defect. A run of
everything writes docs/check-corpus.md.
"""

import sys
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.check.defects import DEFECTS, PROGRAMS
from benchmarks.check.page import page
from benchmarks.check.run import clean, with_defect

PAGE = Path("docs/check-corpus.md")


def main(argv: list[str]) -> int:
    is_whole = "--all-checks" in argv
    wanted = [name for name in argv if not name.startswith("--")]
    clean_ones, defects = [], []
    for file in sorted(PROGRAMS.glob("*.py")):
        if wanted and file.stem not in wanted:
            continue
        if "--defects" not in argv:
            clean_ones.append((file.stem, clean(file.stem)))
            _tell_clean(*clean_ones[-1])
        for defect in (one for one in DEFECTS if one.program == file.stem and "--clean" not in argv):
            verdict = with_defect(defect, *([] if is_whole else [f"--only={defect.check}"]))[defect.check]
            defects.append((defect, verdict))
            sign = "shown " if verdict["verdict"] == "fail" else "MISSED"
            print(f"{sign} {file.stem}: {defect.name}: {verdict['why']}", flush=True)
    accused = sum(any(one["verdict"] == "fail" for one in verdicts.values()) for _, verdicts in clean_ones)
    missed = sum(verdict["verdict"] != "fail" for _, verdict in defects)
    print(f"{accused} clean programs accused, {missed} defects missed")
    if not wanted and clean_ones and defects:
        PAGE.write_text(page(clean_ones, defects), encoding="utf-8")
    return int(accused + missed > 0)


def _tell_clean(name: str, verdicts: dict[str, dict[str, Any]]) -> None:
    counts = Counter(one["verdict"] for one in verdicts.values())
    print(f"{'ACCUSED' if counts['fail'] else 'clean '} {name}: {dict(counts)}", flush=True)
    for one in verdicts.values():
        if one["verdict"] != "pass":
            print(f"    {one['name']}, {one['verdict']}: {one['why']}", flush=True)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
