"""Run code of ours that has hooks of its own, so that the recorder may go on sleeping (see doze.py)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from surefoot.watch.compiler import leave_alone

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder


def run_beside(recorder: Recorder, probe: str, call: Callable[..., Any], *args: Any) -> Any:
    """As `Recorder.guarded`: a failure switches the probe off and does not reach the program. Wakes nobody."""
    if not recorder.on or recorder.is_busy or probe in recorder.off:
        return None
    with recorder._lock:
        recorder._busy = threading.get_ident()
        try:
            return call(*args)
        except Exception as error:
            recorder.off[probe] = f"{type(error).__name__}: {error}"
            recorder.report_failure(probe, error)
            return None
        finally:
            recorder._busy = 0


leave_alone(run_beside.__code__, and_all_they_call=True)
