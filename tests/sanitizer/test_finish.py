"""The end of a watch fails in parts: the rest follows, and nothing reaches the program."""

from typing import Any

import pytest

from surefoot.sanitizer.sanitizer import Sanitizer


@pytest.mark.parametrize("part", ["recorder.stop", "_leave_log"])
def test_a_part_that_fails_is_told_and_the_rest_follows(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, str]] = []
    sanitizer = Sanitizer([], on_failure=lambda name, error: told.append((name, str(error))))
    sanitizer.start()
    owner: Any = sanitizer.recorder if part.startswith("recorder") else sanitizer
    name = part.rpartition(".")[2]
    original = getattr(owner, name)

    def fail() -> None:
        original()
        raise LookupError("ours")

    monkeypatch.setattr(owner, name, fail)
    sanitizer.finish()
    assert told == [("end", "ours")]
    assert Sanitizer.running is None
    assert not sanitizer.recorder.tap.on
