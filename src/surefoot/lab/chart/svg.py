"""A chart as one SVG file that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape

from surefoot.lab.chart.chart import Chart, Scale, short, strokes

WIDTH, HEIGHT = 760, 400
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 40, 60  # margins around the paper
NUM_TICKS = 5
COLOURS = ("#1f6feb", "#d1541f", "#2a8a4a", "#8250df")
_STYLE = "text{font:12px sans-serif;fill:#333}.title{font-size:15px}.mark{fill:#666}"


def as_svg(chart: Chart) -> str:
    x, y = chart.scales()
    body = [*_axes(chart, x, y), *_lines(chart, x, y), *_marks(chart, x)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">\n'
        f"<style>{_STYLE}</style>\n"
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>\n' + "\n".join(body) + "\n</svg>\n"
    )


def _axes(chart: Chart, x: Scale, y: Scale) -> Iterator[str]:
    yield _text(LEFT, TOP - 18, chart.title, 'class="title"')
    yield f'<path d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}" fill="none" stroke="#888"/>'
    for tick in range(NUM_TICKS):
        share = tick / (NUM_TICKS - 1)
        yield _text(_across(share), HEIGHT - BOTTOM + 18, short(x.value(share)), 'text-anchor="middle"')
        yield _text(LEFT - 8, _down(share) + 4, short(y.value(share)), 'text-anchor="end"')
        yield f'<path d="M{LEFT} {_down(share):.1f}H{WIDTH - RIGHT}" stroke="#eee"/>'
    yield _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 18, chart.x_label, 'text-anchor="middle"')
    yield _text(LEFT - 60, TOP - 2, chart.y_label, "")


def _lines(chart: Chart, x: Scale, y: Scale) -> Iterator[str]:
    for number, line in enumerate(chart.lines):
        colour = "#bbb" if line.is_faint else COLOURS[number % len(COLOURS)]
        for stroke in strokes(line, x, y, WIDTH):
            points = " ".join(f"{_across(a):.1f},{_down(b):.1f}" for a, b in stroke)
            name = f"<title>{escape(line.name)}</title>"
            yield f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5">{name}</polyline>'


def _marks(chart: Chart, x: Scale) -> Iterator[str]:
    for number, mark in enumerate(chart.marks):
        share = x.at(mark.x)
        if share is None:
            continue
        at = _across(share)
        yield f'<path d="M{at:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#999" stroke-dasharray="4 3"/>'
        anchor = "end" if share > 0.6 else "start"  # beside the line, and on the paper
        yield _text(
            at + (-4 if share > 0.6 else 4), TOP + 14 + 15 * number, mark.label, f'class="mark" text-anchor="{anchor}"'
        )


def _across(share: float) -> float:
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def _down(share: float) -> float:
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def _text(x: float, y: float, text: str, attributes: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {attributes}>{escape(text)}</text>'
