"""What each sample counts: in a window of micro-batches, and over ranks."""

from collections.abc import Sequence

from tools.figures.paper import Paper

WINDOWS = ((4, 4, 4, 4), (4, 2))  # samples of the micro-batches; the second is the tail of an epoch
RANKS = (2, 6)
RIGHT = 17.0  # height of a bar that counts what it should


def window() -> str:
    """Weights relative to what they should be: one over the samples of the window."""
    paper = Paper(900, 430, "A window of four micro-batches and the tail of an epoch")
    paper.text(12, 24, "what each sample counts in its update, against what it should (dashed)", "dim")
    ways = [
        ("weighted by size", "c2", lambda sizes, size: 1.0),
        ("divided by 4", "c1", lambda sizes, size: sum(sizes) / 4 / size),
        ("never divided", "bad", lambda sizes, size: sum(sizes) / size),
    ]  # fmt: skip
    for row, (name, kind, weight) in enumerate(ways):
        bottom = 128 + 122 * row
        paper.text(12, bottom - 20, name, size=14)
        left = 170.0
        for sizes in WINDOWS:
            left = _window(paper, left, bottom, sizes, kind, [weight(sizes, size) for size in sizes])
    return paper.svg()


def _window(
    paper: Paper, left: float, bottom: float, sizes: Sequence[int], kind: str, weights: Sequence[float]
) -> float:
    start = left
    for size, weight in zip(sizes, weights, strict=True):
        for _ in range(size):
            paper.bar(left, bottom - weight * RIGHT, 16, weight * RIGHT, kind)
            left += 19
        paper.text(left - 19 * size / 2, bottom + 16, _times(weight), "dim", anchor="middle", size=12)
        left += 14
    paper.line([(start - 4, bottom - RIGHT), (left - 10, bottom - RIGHT)], "ink", dashed=True)
    paper.line([(start - 4, bottom), (left - 10, bottom)])
    name = f"window of {len(sizes)}, {sum(sizes)} samples"
    paper.text((start + left) / 2 - 6, bottom + 34, name, "dim", anchor="middle", size=12)
    return left + 40


def ranks() -> str:
    paper = Paper(900, 260, "Ranks with unequal counts")
    paper.text(12, 24, "what each item counts in the averaged gradient, against what it should (dashed)", "dim")
    ways = [("the mean of the ranks' means", "bad", [sum(RANKS) / len(RANKS) / size for size in RANKS])]
    ways.append(("weighted by counts: exact", "c2", [1.0 for _ in RANKS]))
    for number, (name, kind, weights) in enumerate(ways):
        left, bottom, unit = 40.0 + 440 * number, 190, 60
        paper.text(left, 56, name, size=14)
        start = left
        for rank, (size, weight) in enumerate(zip(RANKS, weights, strict=True)):
            for _ in range(size):
                paper.bar(left, bottom - weight * unit, 32, weight * unit, kind)
                left += 38
            paper.text(left - 38 * size / 2, bottom + 18, _times(weight), "dim", anchor="middle", size=12)
            paper.text(left - 38 * size / 2, bottom + 36, f"rank {rank}: {size} items", "dim", anchor="middle", size=12)
            left += 26
        paper.line([(start - 6, bottom - unit), (left - 26, bottom - unit)], "ink", dashed=True)
        paper.line([(start - 6, bottom), (left - 26, bottom)])
    return paper.svg()


def _times(weight: float) -> str:
    return "right" if weight == 1 else f"× {weight:.3g}"
