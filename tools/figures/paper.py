"""SVG with text as text, for light and for dark pages. Colours are classes; nothing else is needed."""

from collections.abc import Sequence
from xml.sax.saxutils import escape

from surefoot.lab.chart.chart import Scale, short

LIGHT = {
    "paper": "#ffffff", "ink": "#1f2328", "dim": "#59636e", "line": "#8c959f", "grid": "#e4e8ec", "fill": "#f3f5f7",
    "c0": "#0969da", "c1": "#bc4c00", "c2": "#1a7f37", "c3": "#8250df", "c4": "#57606a",
    "c5": "#bf3989", "bad": "#cf222e",
}  # fmt: skip
DARK = {
    "paper": "#0d1117", "ink": "#e6edf3", "dim": "#9198a1", "line": "#656c76", "grid": "#21262d", "fill": "#161b22",
    "c0": "#4493f8", "c1": "#f0883e", "c2": "#3fb950", "c3": "#ab7df8", "c4": "#b1bac4",
    "c5": "#f778ba", "bad": "#ff7b72",
}  # fmt: skip


class Paper:
    """What is drawn comes in the order of the calls."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self.width, self.height = width, height
        self._title = title
        self._parts: list[str] = []

    def text(self, x: float, y: float, text: str, kind: str = "ink", *, anchor: str = "start", size: int = 13) -> None:
        at = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}"'
        self._parts.append(f'<text {at} class="{kind}">{escape(text)}</text>')

    def box(self, x: float, y: float, width: float, height: float, kind: str = "line", *, filled: bool = True) -> None:
        inside = "filled" if filled else "hollow"
        at = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
        self._parts.append(f'<rect {at} rx="4" class="{inside} {kind}"/>')

    def bar(self, x: float, y: float, width: float, height: float, kind: str) -> None:
        at = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
        self._parts.append(f'<rect {at} class="solid {kind}"/>')

    def line(self, points: Sequence[tuple[float, float]], kind: str = "line", *, dashed: bool = False) -> None:
        joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self._parts.append(f'<polyline points="{joined}" class="stroke {kind}"{dash}/>')

    def arrow(self, start: tuple[float, float], end: tuple[float, float], kind: str = "line") -> None:
        self.line([start, end], kind)
        (x, y), across = end, abs(end[0] - start[0]) > abs(end[1] - start[1])
        back = 6 if (end[0] > start[0] if across else end[1] > start[1]) else -6
        sides = [(x - back, y - 4), (x - back, y + 4)] if across else [(x - 4, y - back), (x + 4, y - back)]
        self.line([sides[0], end, sides[1]], kind)

    def dot(self, x: float, y: float, kind: str, radius: float = 2.5) -> None:
        self._parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" class="solid {kind}"/>')

    def ellipse(self, x: float, y: float, across: float, down: float, kind: str = "grid") -> None:
        at = f'cx="{x:.1f}" cy="{y:.1f}" rx="{across:.1f}" ry="{down:.1f}"'
        self._parts.append(f'<ellipse {at} class="stroke {kind}"/>')

    def svg(self) -> str:
        size = f'viewBox="0 0 {self.width} {self.height}" width="{self.width}" height="{self.height}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">\n<title>{escape(self._title)}</title>'
        style = f"<style>{_colours(LIGHT)}@media (prefers-color-scheme:dark){{{_colours(DARK)}}}{_SHAPE}</style>"
        ground = f'<rect width="{self.width}" height="{self.height}" class="solid paper"/>'
        return "\n".join([head, style, ground, *self._parts, "</svg>"]) + "\n"


_SHAPE = (
    "text{font-family:system-ui,sans-serif;fill:var(--k)}.solid{fill:var(--k)}.stroke,.hollow{fill:none;stroke:var(--k)}"
    ".filled{fill:var(--fill);stroke:var(--k)}.stroke{stroke-width:1.6}"
)


def _colours(colours: dict[str, str]) -> str:
    return f"svg{{--fill:{colours['fill']}}}" + "".join(f".{name}{{--k:{value}}}" for name, value in colours.items())


class Axes:
    """A part of the paper with a scale each way."""

    def __init__(self, paper: Paper, place: tuple[float, float, float, float], x: Scale, y: Scale) -> None:
        self._paper, (self._left, self._top, self._width, self._height) = paper, place
        self._x, self._y = x, y

    def at(self, x: float, y: float) -> tuple[float, float]:
        across, up = self._x.at(x), self._y.at(y)
        assert across is not None and up is not None
        return self._left + across * self._width, self._top + (1 - up) * self._height

    def frame(self, x_ticks: Sequence[float], y_ticks: Sequence[float], x_label: str, y_label: str) -> None:
        paper, bottom, right = self._paper, self._top + self._height, self._left + self._width
        for tick in y_ticks:
            _, y = self.at(self._x.low, tick)
            paper.line([(self._left, y), (right, y)], "grid")
            paper.text(self._left - 8, y + 4, short(tick), "dim", anchor="end", size=12)
        for tick in x_ticks:
            x, _ = self.at(tick, self._y.low)
            paper.text(x, bottom + 18, short(tick), "dim", anchor="middle", size=12)
        paper.line([(self._left, self._top), (self._left, bottom), (right, bottom)])
        paper.text((self._left + right) / 2, bottom + 38, x_label, "dim", anchor="middle")
        paper.text(self._left - 40, self._top - 12, y_label, "dim")

    def curve(self, points: Sequence[tuple[float, float]], kind: str, *, dots: bool = False) -> None:
        places = [self.at(x, y) for x, y in points]
        self._paper.line(places, kind)
        if dots:
            for x, y in places:
                self._paper.dot(x, y, kind)
