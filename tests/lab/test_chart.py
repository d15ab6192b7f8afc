"""Charts as text and SVG."""

import math
from xml.etree import ElementTree

import pytest

from surefoot.lab.chart import Chart, Line, Mark, as_svg, as_text
from surefoot.lab.chart.chart import Scale, strokes


def chart(points: list[tuple[float, float]], **settings: bool) -> Chart:
    return Chart("a <chart>", "x", "y", [Line("line & more", points)], [Mark(points[0][0], "here")], **settings)


def test_text_is_as_wide_and_high_as_asked() -> None:
    said = as_text(chart([(i, i * i) for i in range(100)]), width=40, height=8, plain=True)
    rows = [row for row in said.splitlines() if "|" in row]
    assert len(rows) == 8
    assert rows[0].endswith("*") and rows[-1].split("|")[1].startswith("*")
    assert max(map(len, said.splitlines())) <= 40 + 12
    assert "a  here" in said


def test_braille_where_it_can_be_shown() -> None:
    assert any("⠀" < c <= "⣿" for c in as_text(chart([(0, 0), (1, 1)]), plain=False))


@pytest.mark.parametrize("points", [[(1.0, 2.0)], [(1.0, 0.0), (2.0, 0.0)], [(1.0, math.nan), (2.0, math.inf)]])
def test_flat_and_empty_lines(points: list[tuple[float, float]]) -> None:
    for log in (False, True):
        assert as_text(chart(points, is_log_x=log, is_log_y=log))
        ElementTree.fromstring(as_svg(chart(points, is_log_x=log, is_log_y=log)))


def test_not_finite_points_break_the_line() -> None:
    line = Line("", [(0, 1), (1, 2), (2, math.nan), (3, 1), (4, 1)])
    parts = list(strokes(line, Scale(0, 4), Scale(1, 2), 100))
    assert [len(part) for part in parts] == [2, 2]


def test_thinning_keeps_the_peaks() -> None:
    line = Line("", [(i, 1000.0 if i == 5003 else math.sin(i)) for i in range(100_000)])
    (part,) = strokes(line, Scale(0, 99_999), Scale(-1, 1000), 100)
    assert len(part) <= 4 * 101
    assert max(y for _, y in part) == 1.0


def test_a_logarithmic_scale() -> None:
    scale = Scale(1e-4, 1.0, is_log=True)
    assert scale.at(1e-2) == pytest.approx(0.5)
    assert scale.at(0.0) is None
    assert scale.value(0.25) == pytest.approx(1e-3)
