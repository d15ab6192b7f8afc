import json
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from surefoot.facts.json_text import json_text, json_value


@dataclass
class Point:
    x: float
    tags: tuple[str, ...]


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (float("nan"), "NaN"),
        (float("inf"), "Infinity"),
        (-float("inf"), "-Infinity"),
        (Decimal("NaN"), "NaN"),
        (Decimal("1.5"), 1.5),
        (True, True),
        (None, None),
        (b"\x01\xff", "01ff"),
        (datetime(2026, 1, 2, tzinfo=UTC), "2026-01-02T00:00:00+00:00"),
        ({1: (2, float("nan"))}, {"1": [2, "NaN"]}),
        (Point(0.5, ("a",)), {"x": 0.5, "tags": ["a"]}),
        (Point, str(Point)),
    ],
)
def test_values_get_a_type_that_json_has(value: object, told: object) -> None:
    assert json_value(value) == told


def test_the_text_is_strict_json_in_the_readers_own_letters() -> None:
    text = json_text({"loss": [float("inf"), "é"]}, indent=2)
    assert json.loads(text, parse_constant=lambda name: pytest.fail(name)) == {"loss": ["Infinity", "é"]}
    assert "é" in text
