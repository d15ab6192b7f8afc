"""What became of one damage."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Verdict:
    """`failed` tells what each reader that failed did; `is_harmless`: every answer was as before."""

    seed: int
    done: str
    failed: dict[str, str]
    is_harmless: bool
