"""python -m benchmarks.log.damage --damages 100 --seed 0"""

import argparse
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from benchmarks.log.damage.damages import damage
from benchmarks.log.damage.readers import READERS, Reading, judge, read
from benchmarks.log.damage.sources import KINDS, make, name_of
from benchmarks.log.damage.verdict import Verdict


class Campaign:
    """Runs to damage, and what each reader answers of them undamaged."""

    def __init__(self, folder: Path) -> None:
        self._sources = folder / "sources"
        self._log, self._out = folder / "log", folder / "out"
        self._donors = folder / "donors"
        made = [make(kind, self._sources) for kind in (*KINDS, "other")]
        made += [make(kind, self._donors, seed=1) for kind in KINDS]
        self._writers = [writer for writer in made if writer is not None]
        self._whole = {kind: self._read(kind, None)[1] for kind in KINDS}

    def close(self) -> None:
        for writer in self._writers:
            writer.kill()
            writer.wait()

    def damage(self, seed: int) -> Verdict:
        kind = KINDS[seed % len(KINDS)]
        done, found = self._read(kind, random.Random(seed))
        wrong = {name: judge(name, self._whole[kind][name], reading) for name, reading in found.items()}
        if kind == "old":  # it has no checksums: nobody can tell its numbers from others
            wrong = {name: text for name, text in wrong.items() if text.startswith("raw")}
        is_harmless = all(found[name] == reading for name, reading in self._whole[kind].items())
        return Verdict(seed, f"{kind}: {done}", {name: text for name, text in wrong.items() if text}, is_harmless)

    def _read(self, kind: str, rng: random.Random | None) -> tuple[str, dict[str, Reading]]:
        """Each reader meets the same damage afresh: opening a killed run may change it."""
        source, donor = self._sources / name_of(kind), self._donors / name_of(kind, 1)
        other = self._sources / name_of("other")
        damaged = self._sources.parent / "damaged"
        shutil.rmtree(damaged, ignore_errors=True)
        shutil.copytree(source, damaged)
        done = damage(damaged, donor, rng) if rng else ""
        found = {}
        for name in READERS:
            shutil.rmtree(self._log, ignore_errors=True)
            _remove(self._out)
            shutil.copytree(damaged, self._log / source.name)
            shutil.copytree(other, self._log / other.name)
            found[name] = read(name, self._log, source.name, self._out)
        return done, found


def _remove(place: Path) -> None:
    if place.is_dir():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)


def run(seeds: Sequence[int]) -> list[Verdict]:
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(Path(folder))
        try:
            return [campaign.damage(seed) for seed in seeds]
        finally:
            campaign.close()


def campaign(num: int, first: int = 0, workers: int = 1, batch: int = 100) -> Iterator[Verdict]:
    """In processes of their own, so that a crash of a library is seen too."""
    batches = [range(at, min(at + batch, first + num)) for at in range(first, first + num, batch)]
    with ProcessPoolExecutor(workers) as pool:
        for verdicts in pool.map(run, batches):
            yield from verdicts


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.log.damage")
    parser.add_argument("--damages", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args(argv)
    counted: Counter[str] = Counter()
    for verdict in campaign(options.damages, options.seed, options.workers):
        counted["damages"] += 1
        if verdict.failed:
            print(f"seed {verdict.seed}: {verdict.done}")
        for name, text in verdict.failed.items():
            counted[text.partition(":")[0]] += 1
            print(f"  {name}: {text}", flush=True)
    print(dict(counted))
    return int(len(counted) > 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
