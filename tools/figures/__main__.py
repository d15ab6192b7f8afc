"""Write the figures, or with --check tell whether they are up to date."""

import sys
from pathlib import Path

from tools.figures import flow, measured, weight

FOLDER = Path(__file__).parents[2] / "docs" / "guide" / "figures"
FIGURES = {
    "one-step": flow.one_step, "scaling": flow.scaling, "owners": flow.owners, "window": weight.window,
    "ranks": weight.ranks, "paths": measured.paths, "schedules": measured.schedules, "depth": measured.depth,
}  # fmt: skip


def main() -> int:
    FOLDER.mkdir(parents=True, exist_ok=True)
    stale = []
    for name, draw in FIGURES.items():
        file, drawn = FOLDER / f"{name}.svg", draw()
        if not file.exists() or file.read_text(encoding="utf-8") != drawn:
            stale.append(file.name)
            if "--check" not in sys.argv[1:]:
                file.write_text(drawn, encoding="utf-8")
    if "--check" in sys.argv[1:] and stale:
        print(f"docs/guide/figures is not up to date: {', '.join(stale)}. Run `make figures`.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
