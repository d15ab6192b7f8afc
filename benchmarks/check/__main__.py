"""`python -m benchmarks.check [NAME ...]`: no clean program may be accused, and every defect must be shown.

`--clean` leaves the defects out, `--defects` the clean programs; `--all-checks` makes all checks of a defect.
"""

import sys

from benchmarks.check.defects import DEFECTS, PROGRAMS
from benchmarks.check.run import clean, with_defect


def main(argv: list[str]) -> int:
    is_whole = "--all-checks" in argv
    wanted = [name for name in argv if not name.startswith("--")]
    accused = missed = 0
    for file in sorted(PROGRAMS.glob("*.py")):
        if wanted and file.stem not in wanted:
            continue
        if "--defects" not in argv:
            accused += _tell_clean(file.stem)
        for defect in (one for one in DEFECTS if one.program == file.stem and "--clean" not in argv):
            verdicts = with_defect(defect, *([] if is_whole else [f"--only={defect.check}"]))
            verdict = verdicts[defect.check]
            is_shown = verdict["verdict"] == "fail"
            missed += not is_shown
            print(f"{'shown ' if is_shown else 'MISSED'} {file.stem}: {defect.name}: {verdict['why']}", flush=True)
    print(f"{accused} clean programs accused, {missed} defects missed")
    return int(accused + missed > 0)


def _tell_clean(name: str) -> bool:
    verdicts = clean(name).values()
    failed = [one for one in verdicts if one["verdict"] == "fail"]
    counts = {answer: sum(one["verdict"] == answer for one in verdicts) for answer in ("pass", "fail", "not-tested")}
    print(f"{'ACCUSED' if failed else 'clean '} {name}: {counts}", flush=True)
    for one in failed:
        print(f"    {one['name']}: {one['why']}", flush=True)
    for one in verdicts:
        if one["verdict"] == "not-tested":
            print(f"    ({one['name']}: {one['why']})", flush=True)
    return bool(failed)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
