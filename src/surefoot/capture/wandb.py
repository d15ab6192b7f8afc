"""wandb in all its modes: a disabled run is of a class of its own, which counts no steps."""

from __future__ import annotations

import sys
import weakref
from typing import Any

from surefoot.capture.listening import Listening
from surefoot.capture.logged import Logged, argument, numbers
from surefoot.capture.media import media_in


def install(module: Any, listening: Listening) -> None:
    runs = WandbRuns()
    disabled = sys.modules.get("wandb.sdk.lib.noop_run")
    for kind in (module.sdk.wandb_run.Run, getattr(disabled, "NoopRun", None)):
        if kind is not None:
            listening.listen(kind, "log", "wandb", runs.log)
    listening.listen_to_result(module, "init", "wandb", runs.made)


class WandbRuns:
    """`config` is read when a run is made and with what it logs, as far as it has changed: programs fill it later."""

    def __init__(self) -> None:
        self._configs: weakref.WeakKeyDictionary[Any, dict[str, int]] = weakref.WeakKeyDictionary()
        self._num_logged: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()

    def made(self, result: Any, args: tuple[Any, ...], given: dict[str, Any]) -> Logged | None:
        return self._news(result)

    def log(self, args: tuple[Any, ...], given: dict[str, Any]) -> list[Logged]:
        run, step = args[0], argument(args, given, 2, "step")
        number = self._num_logged.get(run, 0)
        self._num_logged[run] = number + 1
        if step is None:
            step = number if getattr(run, "disabled", False) else run.step
        data = argument(args, given, 1, "data")
        news = self._news(run)
        return [*([] if news is None else [news]), Logged(numbers(data), step, media=media_in(data))]

    def _news(self, run: Any) -> Logged | None:
        config = {name: value for name, value in dict(run.config).items() if not str(name).startswith("_")}
        known = {name: id(value) for name, value in config.items()}  # arrays can't be compared
        if known == self._configs.get(run, {}):
            return None
        self._configs[run] = known
        return Logged(settings=config)
