"""Log the same numbers with one tracker, in its own environment.

python -m benchmarks.dash.write TRACKER NUM_STEPS FOLDER
"""

import math
import sys
from pathlib import Path

from benchmarks.log.trackers import TRACKERS

NUM_SERIES = 20
NAMES = [f"train/m{i:02}" for i in range(NUM_SERIES)]


def main() -> None:
    tracker, num_steps, folder = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    log, close = TRACKERS[tracker](folder)
    for step in range(num_steps):
        log(step, {name: math.sin(step * 0.001 + i) + math.sin(step * 78.233 + i) for i, name in enumerate(NAMES)})
    close()


if __name__ == "__main__":
    main()
