"""A writer that is killed: what it handed over and when is told by a file that the kill can't touch.

python -m benchmarks.log.killed FILE PROGRESS
"""

import os
import struct
import sys
import time
from pathlib import Path

from surefoot.runlog.write import seal
from surefoot.runlog.write.log import RunLog

PAUSE_SECONDS = 0.0005


def main(file: Path, progress: Path) -> None:
    """Seal and merge all the time, so that kills meet every moment of it."""
    seal.SEAL_BYTES, seal.MERGED, seal.GRACE_SECONDS = 4096, 3, 0.2
    log = RunLog(file, {}, lambda text: print(text, file=sys.stderr))
    told = os.open(progress, os.O_CREAT | os.O_WRONLY)
    step = 0
    while True:
        log.scalars(step, {"loss": step / 8, "lr": 0.5})
        log.hist(step, "weights", [0.0, 1.0], [step])
        os.pwrite(told, struct.pack("<d", time.time()), 8 * step)
        step += 1
        time.sleep(PAUSE_SECONDS)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
