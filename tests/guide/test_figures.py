"""The figures of the guides are those that the scripts draw, and every one is used."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from tools.figures.__main__ import FIGURES, FOLDER
from tools.figures.paper import DARK, LIGHT


@pytest.mark.parametrize("name", FIGURES)
def test_it_is_what_the_script_draws(name: str) -> None:
    drawn = FIGURES[name]()
    assert (FOLDER / f"{name}.svg").read_text(encoding="utf-8") == drawn, "run `make figures`"
    assert ET.fromstring(drawn).find("{http://www.w3.org/2000/svg}text") is not None
    used = set(re.findall(r'class="(?:solid |stroke |filled |hollow )?(\w+)"', drawn))
    assert used <= set(LIGHT) == set(DARK)


def test_all_are_shown() -> None:
    shown = {name for page in Path(FOLDER).parent.glob("*.md") for name in _figures(page)}
    assert shown == set(FIGURES) == {file.stem for file in FOLDER.glob("*.svg")}


def _figures(page: Path) -> list[str]:
    return re.findall(r"!\[[^\]]+\]\(figures/([\w-]+)\.svg\)", page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_text_can_be_read(colours: dict[str, str]) -> None:
    """Contrast of at least 4.5, as WCAG asks for, against the paper and the boxes."""
    for name in set(colours) - {"paper", "grid", "fill", "line"}:
        for ground in ("paper", "fill"):
            light, dark = sorted((_luminance(colours[name]), _luminance(colours[ground])), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 4.5, name


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
