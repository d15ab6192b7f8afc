"""Curves as text for a terminal and as SVG for a page. No torch, no drawing library."""

from surefoot.lab.chart.chart import Chart, Line, Mark
from surefoot.lab.chart.svg import as_svg
from surefoot.lab.chart.text import as_text

__all__ = ["Chart", "Line", "Mark", "as_svg", "as_text"]
