"""Random damages of the files of one run, one or several at once; some come from a run that was written alike."""

import random
import shutil
from pathlib import Path

from surefoot.runlog.edits import is_edit_file

PAGE = 4096


def damage(folder: Path, donor: Path, rng: random.Random) -> str:
    """What was done. The donor is a run of the same kind with other numbers."""
    done = [told for _ in range(rng.choice((1, 1, 1, 1, 1, 2, 4))) if (told := _damage(folder, donor, rng))]
    return done[0] if len(done) == 1 else f"several: {'; '.join(done)}"


def _damage(folder: Path, donor: Path, rng: random.Random) -> str:
    files = sorted(file for file in folder.rglob("*") if file.is_file() and not file.name.endswith("-shm"))
    some = [one for one in files if one.stat().st_size]
    if not some:
        return ""  # nothing is left of it
    if rng.random() < 1 / 3:
        kind, bring = rng.choice(_FROM_OTHERS)
        return f"{kind}: {bring(folder, donor, rng)}"
    file = rng.choice(some)
    kind, do = rng.choice(_KINDS)
    if do is _remove and is_edit_file(file.name):
        do = _zero  # whoever removes an edit takes it back
    return f"{kind}: {file.relative_to(folder)} {do(file, files, rng)}"


def _flip(file: Path, files: list[Path], rng: random.Random) -> str:
    data = bytearray(file.read_bytes())
    bits = [rng.randrange(8 * len(data)) for _ in range(rng.choice((1, 1, 4)))]
    for bit in bits:
        data[bit // 8] ^= 1 << bit % 8
    file.write_bytes(data)
    return f"bits {bits} of {8 * len(data)}"


def _truncate(file: Path, files: list[Path], rng: random.Random) -> str:
    data = file.read_bytes()
    end = rng.choice((rng.randrange(len(data)), rng.randrange(len(data)) // PAGE * PAGE, max(0, len(data) - 5)))
    file.write_bytes(data[:end])
    return f"to {end} of {len(data)}"


def _zero(file: Path, files: list[Path], rng: random.Random) -> str:
    data = bytearray(file.read_bytes())
    start = rng.randrange(-(-len(data) // PAGE)) * PAGE
    end = min(len(data), start + PAGE)
    data[start:end] = bytes(end - start)
    file.write_bytes(data)
    return f"page at {start} of {len(data)}"


def _garble(file: Path, files: list[Path], rng: random.Random) -> str:
    data = bytearray(file.read_bytes())
    start = rng.randrange(len(data))
    some = rng.randbytes(min(rng.choice((8, 64, 512)), len(data) - start))
    data[start : start + len(some)] = some
    file.write_bytes(data)
    return f"{len(some)} bytes at {start} of {len(data)}"


def _remove(file: Path, files: list[Path], rng: random.Random) -> str:
    file.unlink()
    return ""


def _swap(file: Path, files: list[Path], rng: random.Random) -> str:
    alike = [one for one in files if one != file and one.suffix.split("-")[0] == file.suffix.split("-")[0]]
    other = rng.choice(alike or [one for one in files if one != file] or [file])
    mine, theirs = file.read_bytes(), other.read_bytes()
    file.write_bytes(theirs)
    other.write_bytes(mine)
    return f"with {other.name}"


def _swap_pages(file: Path, files: list[Path], rng: random.Random) -> str:
    data = file.read_bytes()
    pages = [data[at : at + PAGE] for at in range(0, len(data), PAGE)]
    one, two = rng.randrange(len(pages)), rng.randrange(len(pages))
    pages[one], pages[two] = pages[two], pages[one]
    file.write_bytes(b"".join(pages))
    return f"pages {one} and {two} of {len(pages)}"


def _cut_out(file: Path, files: list[Path], rng: random.Random) -> str:
    data = file.read_bytes()
    start, end = sorted(_place(len(data), rng) for _ in range(2))
    file.write_bytes(data[:start] + data[end:])
    return f"bytes {start} to {end} of {len(data)}"


def _repeat(file: Path, files: list[Path], rng: random.Random) -> str:
    """In place of what follows, or in front of it."""
    data = file.read_bytes()
    start, end = sorted(_place(len(data), rng) for _ in range(2))
    rest = data[end:] if rng.random() < 0.5 else data[end + (end - start) :]
    file.write_bytes(data[:end] + data[start:end] + rest)
    return f"bytes {start} to {end} of {len(data)}"


def _reorder(file: Path, files: list[Path], rng: random.Random) -> str:
    data = file.read_bytes()
    size = rng.choice((8, 64, 512, PAGE))
    start = rng.randrange(-(-len(data) // size)) * size
    parts = [data[at : at + size] for at in range(start, min(len(data), start + 8 * size), size)]
    rng.shuffle(parts)
    moved = b"".join(parts)
    file.write_bytes(data[:start] + moved + data[start + len(moved) :])
    return f"{len(parts)} times {size} bytes at {start} of {len(data)}"


def _splice(folder: Path, donor: Path, rng: random.Random) -> str:
    """A part of the donor's file of the same name, at the same place."""
    file = rng.choice([one for one in _shared(folder, donor) if one.stat().st_size])
    mine, theirs = file.read_bytes(), (donor / file.relative_to(folder)).read_bytes()
    start, end = sorted(_place(max(len(mine), len(theirs)), rng) for _ in range(2))
    file.write_bytes(mine[:start] + theirs[start:end] + mine[max(start, min(end, len(theirs))) :])
    return f"{file.relative_to(folder)} {start} to {end} of {len(theirs)}"


def _replace(folder: Path, donor: Path, rng: random.Random) -> str:
    """One file, or all but one, or all of a process; not all that tell which run it is."""
    files = _shared(folder, donor)
    one = rng.choice(files)
    stem = one.relative_to(folder).parts[0].split(".")[0]
    some = rng.choice((
        [one], [one], [file for file in files if file != one],
        [file for file in files if file.relative_to(folder).parts[0].startswith(f"{stem}.")],
    ))  # fmt: skip
    if len(some) > 1 and set(folder.glob("*.id")) <= set(some):
        some = [one]
    for file in some:
        shutil.copyfile(donor / file.relative_to(folder), file)
    return ", ".join(str(file.relative_to(folder)) for file in some)


def _add(folder: Path, donor: Path, rng: random.Random) -> str:
    """Files of the donor that this run does not have, under the names of this one's, or as one rank more."""
    files = [one for one in sorted(donor.iterdir()) if one.is_file() and not one.name.endswith("-shm")]
    one = rng.choice(files)
    added = [one] if rng.random() < 0.5 else [file for file in files if file.stem == one.stem]
    stem = rng.choice((one.stem, "rank-7"))
    for file in added:
        target = folder / file.name.replace(one.stem, stem, 1)
        if not target.exists():
            shutil.copyfile(file, target)
    return f"{', '.join(file.name for file in added)} as {stem}"


def _shared(folder: Path, donor: Path) -> list[Path]:
    """Files that both have."""
    files = sorted(file for file in folder.rglob("*") if file.is_file() and not file.name.endswith("-shm"))
    return [file for file in files if (donor / file.relative_to(folder)).exists()]


def _place(size: int, rng: random.Random) -> int:
    """Anywhere, or where a page begins."""
    place = rng.randrange(size + 1)
    return place // PAGE * PAGE if rng.random() < 0.5 else place


_KINDS = (
    ("flip", _flip), ("flip", _flip), ("flip", _flip), ("truncate", _truncate), ("zero", _zero), ("garble", _garble),
    ("remove", _remove), ("swap", _swap), ("swap pages", _swap_pages), ("cut out", _cut_out), ("repeat", _repeat),
    ("reorder", _reorder),
)  # fmt: skip
_FROM_OTHERS = (("splice", _splice), ("splice", _splice), ("replace", _replace), ("add", _add))
