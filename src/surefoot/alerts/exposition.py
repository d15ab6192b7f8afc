"""The text format of Prometheus, version 0.0.4."""

import math
from collections.abc import Iterable, Mapping

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Sample = tuple[Mapping[str, str], float]  # labels and value


def exposition(families: Iterable[tuple[str, str, str, Iterable[Sample]]]) -> str:
    """Families of name, type, help and samples; those without a sample are left out."""
    lines: list[str] = []
    for name, kind, message, samples in families:
        some = [f"{name}{_labels(labels)} {number(value)}" for labels, value in samples]
        if some:
            lines += [f"# HELP {name} {_escaped(message)}", f"# TYPE {name} {kind}", *some]
    return "\n".join(lines) + "\n"


def number(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


def _labels(labels: Mapping[str, str]) -> str:
    message = ",".join(f'{name}="{_escaped(value, quote=True)}"' for name, value in labels.items())
    return f"{{{message}}}" if message else ""


def _escaped(text: str, *, quote: bool = False) -> str:
    """Text that UTF-8 has no bytes for is written out, too."""
    text = text.encode(errors="backslashreplace").decode().replace("\\", "\\\\").replace("\n", "\\n")
    return text.replace('"', '\\"') if quote else text
