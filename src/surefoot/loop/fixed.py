"""Settings that a loop is made with: setting one later would change nothing, without a word."""

from __future__ import annotations

from typing import Any, NoReturn


class FixedSetting:
    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, loop: Any, owner: type) -> NoReturn:
        raise AttributeError(f"a loop does not tell its {self._name}: it is what sf.Loop(...) was given.")

    def __set__(self, loop: Any, value: object) -> NoReturn:
        raise AttributeError(
            f"{self._name} is set when the loop is made, sf.Loop(..., {self._name}={value!r}), and stays as it is."
        )
