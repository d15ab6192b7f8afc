"""fastai: losses and metrics of its Recorder, where no callback hands them to a logger that is captured."""

from __future__ import annotations

from typing import Any

from surefoot.capture.listening import Listening
from surefoot.capture.logged import Logged, argument, numbers


def install(module: Any, listening: Listening) -> None:
    listening.listen_to_result(module.Learner, "_call_one", "fastai", _event, unless_captured=True)


def _event(result: Any, args: tuple[Any, ...], given: dict[str, Any]) -> Logged | None:
    recorder: Any = getattr(args[0], "recorder", None)
    if argument(args, given, 1, "event_name") != "after_epoch" or not getattr(recorder, "values", None):
        return None
    names = list(recorder.metric_names)[1:]  # without the epoch; the time, which comes last, is not in the values
    return Logged(numbers(dict(zip(names, recorder.values[-1], strict=False))), args[0].epoch)
