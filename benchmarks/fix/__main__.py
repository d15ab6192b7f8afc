"""Fixes every buggy program of the bug corpus, and writes docs/fix-corpus.md. With --twins, every rule's Bad twin too.

python -m benchmarks.fix [--only PART_OF_A_NAME] [--twins] [--processes N]
"""

import argparse
import json
import os
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path

from benchmarks.bugs.process import ROOT
from benchmarks.bugs.program import corpus
from benchmarks.fix.outcome import Outcome, Pair, start, try_pair
from benchmarks.fix.page import page
from surefoot.rules.catalogue import catalogue
from surefoot.rules.lesson import is_for_ranks, lesson_of

RESULTS = ROOT / "results" / "fix.json"
PAGE = ROOT / "docs" / "fix-corpus.md"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="a part of a name")
    parser.add_argument("--twins", action="store_true", help="the Bad twins of the rules, too")
    parser.add_argument("--processes", type=int, default=2, metavar="N", help="that work side by side (default: 2)")
    options = parser.parse_args()
    RESULTS.parent.mkdir(exist_ok=True)
    os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        several = [*_corpus(), *(_twins(Path(folder)) if options.twins else ())]
        pairs = [pair for pair in several if options.only in pair.name]
        with ProcessPoolExecutor(options.processes, initializer=start) as pool:
            outcomes: list[Outcome] = []
            for outcome in pool.map(try_pair, pairs):
                print(outcome.name, outcome.rules, outcome.reasons, flush=True)
                outcomes.append(outcome)
                RESULTS.write_text(json.dumps([asdict(outcome) for outcome in outcomes], indent=1))
    if not options.only:
        PAGE.write_text(page(outcomes))


def _corpus() -> Iterator[Pair]:
    for program in corpus():
        good = program.path.with_name(program.path.name.replace("_bad", "_good"))
        if program.is_buggy and not program.needs:
            yield Pair(program.name, program.rule, program.path, good)


def _twins(folder: Path) -> Iterator[Pair]:
    for name, rule in catalogue().items():
        programs = lesson_of(rule).programs
        if rule.level == "note" or is_for_ranks(programs["Bad"]):
            continue
        (folder / name).mkdir()
        files = {kind: folder / name / f"{kind.lower()}.py" for kind in programs}
        for kind, code in programs.items():
            files[kind].write_text(code)
        yield Pair(f"twin/{name}", name, files["Bad"], files["Good"])


if __name__ == "__main__":
    main()
