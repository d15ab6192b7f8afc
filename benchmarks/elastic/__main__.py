"""Kill one of two ranks at random moments, let torchrun start them again, and compare the ends bit by bit.

python -m benchmarks.elastic [--times 20] [--ways ddp fsdp]
"""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
END = re.compile(r"end rank=(\d) attempt=(\d+) resumed=(\w+)@(\d+) updates=(\d+) weights=(\w+)")
SECONDS = 600.0  # only a hang takes so long
NUM_BATCHES = 46  # of 48: something is left to do


def run(way: str, kill: str) -> list[tuple[str, ...]]:
    """What the ranks printed at their end."""
    with tempfile.TemporaryDirectory() as folder:
        torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
        program = [str(HERE / "program.py"), way, f"{folder}/checkpoints", *(("--kill", kill) if kill else ())]
        command = [*torchrun, "--max-restarts", "3", *program]
        environment = os.environ | {"OMP_NUM_THREADS": "1"}
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=SECONDS, env=environment, check=False
            )
        except subprocess.TimeoutExpired:
            return []
    found = END.findall(done.stdout)
    if len(found) != 2:
        print(done.stderr[-1500:], file=sys.stderr)
    return found


def judge(way: str, times: int) -> tuple[int, int]:
    """How many runs ended bitwise like the undisturbed one, and after how many attempts at most."""
    undisturbed = {end[5] for end in run(way, "")}
    rng = random.Random(way)
    num_same, most = 0, 0
    for number in range(times):
        kill = f"{rng.randrange(2)}:{rng.randrange(1, NUM_BATCHES)}"
        ends = run(way, kill)
        is_same = len(ends) == 2 and len(undisturbed) == 1 and {end[5] for end in ends} == undisturbed
        num_same += is_same
        attempts = max((int(end[1]) for end in ends), default=0)
        most = max(most, attempts)
        said = f"update {ends[0][3]}, attempt {attempts}" if ends else "never ended"
        print(f"{way} {number + 1}: killed at {kill}, {said}: {'same' if is_same else 'DIFFERENT'}", flush=True)
    return num_same, most


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--ways", nargs="+", default=["ddp", "fsdp"])
    options = parser.parse_args()
    lines, num_same = [], 0
    for way in options.ways:
        same, most = judge(way, options.times)
        num_same += same
        lines.append(f"| `{way}` | {same} of {options.times} | {most} |")
    table = "\n".join(["| | bitwise the undisturbed run | restarts, at most |", "|---|---|---|", *lines])
    print(table)
    return int(num_same != options.times * len(options.ways))


if __name__ == "__main__":
    raise SystemExit(main())
