"""The losses of all trainings in one small file: half precision, of which two more bits are dropped."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FILE = Path(__file__).with_name("curves.npz")
SHIFT = 256.0  # small losses keep their digits in half precision
DROPPED = 0b11  # lowest bits: what is left is right to a quarter of a percent

Losses = NDArray[np.float64]


def key(name: str, num_steps: int) -> str:
    return f"{name} [{num_steps}]"


def write(curves: dict[str, Losses], file: Path = FILE) -> None:
    """High and low bytes apart, because only the low ones look like noise."""
    codes = (np.concatenate(list(curves.values())) * SHIFT).astype(np.float16).view(np.uint16)
    codes = (codes + (DROPPED + 1) // 2) & ~np.uint16(DROPPED)
    high, low = (codes >> 8).astype(np.uint8), codes.astype(np.uint8)
    lengths = [len(losses) for losses in curves.values()]
    np.savez_compressed(file, names=np.array(list(curves)), lengths=np.array(lengths), high=high, low=low)


def read(file: Path = FILE) -> dict[str, Losses]:
    with np.load(file) as stored:
        codes = stored["high"].astype(np.uint16) << 8 | stored["low"]
        parts = np.split(codes.view(np.float16).astype(np.float64) / SHIFT, stored["lengths"].cumsum()[:-1])
        return dict(zip(stored["names"].tolist(), parts, strict=True))
