"""Random damages of the files of one run, one or several at once."""

import random
from pathlib import Path

from surefoot.runlog.edits import is_edit_file

PAGE = 4096


def damage(folder: Path, rng: random.Random) -> str:
    """What was done."""
    done = [told for _ in range(rng.choice((1, 1, 1, 1, 1, 2, 4))) if (told := _damage(folder, rng))]
    return done[0] if len(done) == 1 else f"several: {'; '.join(done)}"


def _damage(folder: Path, rng: random.Random) -> str:
    files = sorted(file for file in folder.rglob("*") if file.is_file() and not file.name.endswith("-shm"))
    some = [one for one in files if one.stat().st_size]
    if not some:
        return ""  # nothing is left of it
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


_KINDS = (
    ("flip", _flip), ("flip", _flip), ("flip", _flip), ("truncate", _truncate), ("zero", _zero), ("garble", _garble),
    ("remove", _remove), ("swap", _swap), ("swap pages", _swap_pages),
)  # fmt: skip
