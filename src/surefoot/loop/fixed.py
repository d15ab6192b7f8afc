"""Settings that a loop is created with: assigning one later would silently change nothing."""

from __future__ import annotations

from typing import Any, NoReturn


class FixedSetting:
    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, loop: Any, owner: type) -> NoReturn:
        raise AttributeError(f"a loop has no attribute {self._name}: keep what you passed to sf.Loop(...).")

    def __set__(self, loop: Any, value: object) -> NoReturn:
        raise AttributeError(
            f"{self._name} is set when the loop is made, sf.Loop(..., {self._name}={value!r}), and stays as it is."
        )
