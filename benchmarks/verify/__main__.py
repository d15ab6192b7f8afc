"""`python -m benchmarks.verify [WORDS]`: every defect must be named, and no agreeing pair accused.

WORDS choose pairs by their names. `--page FILE` writes what came of it.
"""

import sys
from pathlib import Path

from benchmarks.verify.page import page
from benchmarks.verify.pairs import AGREEING, DEFECTS
from benchmarks.verify.run import problem, workbench


def main(argv: list[str]) -> int:
    file = Path(argv[argv.index("--page") + 1]).absolute() if "--page" in argv else None
    words = argv[: argv.index("--page")] if "--page" in argv else argv
    verdicts = []
    num_wrong = 0
    with workbench() as bench:
        for pair in (*DEFECTS, *AGREEING):
            if words and not any(word in pair.name for word in words):
                continue
            verdict = bench.compare(pair)
            wrong = problem(pair, verdict)
            num_wrong += bool(wrong)
            verdicts.append((pair, verdict))
            print(
                f"{'WRONG' if wrong else 'right'}  {pair.program}: {pair.name}. {wrong or verdict.likely}", flush=True
            )
    print(f"{len(verdicts)} pairs, {num_wrong} judged wrong")
    if file is not None and not num_wrong:
        file.write_text(page(verdicts), encoding="utf-8")
    return int(num_wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
