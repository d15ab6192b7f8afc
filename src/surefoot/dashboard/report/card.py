"""A run in the cell of a notebook: its state, its curves and its findings, in a few kilobytes without scripts."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from surefoot.capture.own import own_name
from surefoot.runlog.read.run import Run
from surefoot.runlog.read.summary import summarize
from surefoot.runlog.setting import SEEN

if TYPE_CHECKING:
    from surefoot.runlog.read.column import Column

MOST_CURVES, MOST_FINDINGS, MOST_SETTINGS = 6, 20, 20
POINTS = 160  # of a curve
_WIDTH, _HEIGHT = 260, 90


def card_html(run: Run) -> str:
    """Where to see more is said at its end."""
    line = summarize([run])[0]
    state = f"{line.status}, {line.updates} updates" + (f", {line.seconds:.0f} s" if line.seconds is not None else "")
    settings = [f"{name} = {setting.text}" for name, setting in run.settings.items() if not name.startswith(SEEN)]
    findings = "".join(_finding(found) for found in run.first.findings()[:MOST_FINDINGS] if found["severity"] != "note")
    return (
        f'<div style="max-width:60em"><b>{escape(run.name)}</b><br><span>{escape(state)}</span>'
        f"<div>{escape(', '.join(settings[:MOST_SETTINGS]))}</div>"
        f'<div style="display:flex;flex-wrap:wrap;gap:12px">{"".join(_curves(run))}</div>{findings}'
        "<p>run.page() shows the whole report here; <code>surefoot dash</code> shows it live.</p></div>"
    )


def _curves(run: Run) -> list[str]:
    """The loss, what the program logged itself, and the rate."""
    names = [series.name for series in run.process().series() if series.kind == "scalar"]
    logged = sorted(name for name in names if own_name(name, "") == name)
    wanted = [*(name for name in ("loss",) if name in names), *logged, *(name for name in ("lr",) if name in names)]
    return [_curve(name, run.scalars(name)) for name in wanted[:MOST_CURVES]]


def _curve(name: str, column: Column) -> str:
    import numpy as np

    is_finite = np.isfinite(column.values)
    steps, values = column.steps[is_finite], column.values[is_finite]
    if not len(values):
        return f"<div>{escape(name)}: no finite value</div>"
    picked = np.unique(np.linspace(0, len(values) - 1, POINTS).astype(int))
    x, y = steps[picked].astype(float), values[picked]
    across = 4 + (x - x[0]) / max(x[-1] - x[0], 1) * (_WIDTH - 8)
    up = 4 + (y.max() - y) / max(y.max() - y.min(), 1e-300) * (_HEIGHT - 8)
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(across, up, strict=True))
    return (
        f'<figure style="margin:0"><figcaption>{escape(name)}: {y[-1]:.4g}</figcaption>'
        f'<svg width="{_WIDTH}" height="{_HEIGHT}" role="img" aria-label="{escape(name)}">'
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="none" stroke="currentColor" stroke-opacity=".25"/>'
        f'<polyline points="{points}" fill="none" stroke="#2a6fdb" stroke-width="1.5"/></svg></figure>'
    )


def _finding(found: dict[str, Any]) -> str:
    where = "" if found["file"] is None else f" at {found['file']}, line {found['line']}"
    return (
        f"<p><b>{escape(found['severity'])}: {escape(found['rule'])}</b>{escape(where)}, {found['count']} times<br>"
        f"{escape(found['message'])}<br><b>Fix:</b> {escape(found['fix'])}</p>"
    )
