"""Judges real trainings where they were cut, compares that with what they did next, and writes docs/verdict.md.

python -m benchmarks.verdict [--train] [--processes N]
"""

import argparse

from benchmarks.verdict.page import PAGE, page
from benchmarks.verdict.score import cases, tally
from benchmarks.verdict.train import train_all


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", action="store_true", help="train them again first, about ten minutes")
    parser.add_argument("--processes", type=int, default=2, metavar="N", help="that train side by side (default: 2)")
    options = parser.parse_args()
    if options.train:
        for line in train_all(options.processes):
            print(line, flush=True)
    judged = cases()
    print("tuned on:", tally(case for case in judged if case.tunes))
    print("stated: ", tally(case for case in judged if not case.tunes))
    PAGE.write_text(page(judged))


if __name__ == "__main__":
    main()
