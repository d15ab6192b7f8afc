"""Logs as a training does, and tells what it handed over, when, and how long that took.

python -m benchmarks.log.places.writer FOLDER PROGRESS NUM_STEPS PAUSE
"""

import os
import struct
import sys
import time
from pathlib import Path

import surefoot as sf
from surefoot.runlog.write import seal


def main(folder: Path, progress: Path, num_steps: int, pause: float) -> None:
    seal.SEAL_BYTES = 65536
    run = sf.start_run(folder)
    told = os.open(progress, os.O_CREAT | os.O_WRONLY)
    for step in range(num_steps):
        begun = time.perf_counter()
        sf.log({f"series-{i}": step / 8 + i for i in range(20)}, step)
        if step % 10 == 0:
            run.hist(step, "weights", [0.0, 1.0, 2.0], [step, 1])
        took = time.perf_counter() - begun
        os.pwrite(told, struct.pack("<dd", time.time(), took), 16 * step)
        time.sleep(pause)
    begun = time.perf_counter()
    run.close()
    print(f"closed in {time.perf_counter() - begun:.1f} s")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
