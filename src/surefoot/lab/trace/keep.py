"""Traces among the runs, where the dashboard finds them."""

import contextlib
import os
from pathlib import Path

from surefoot.lab.trace.plain import as_json
from surefoot.lab.trace.stage import Trace
from surefoot.runlog.checksum import with_checksum
from surefoot.runlog.folder import trace_file


def keep(trace: Trace, log: Path) -> Path:
    """Write it whole or not at all; where it is now. `OSError` if that can't be done."""
    file = trace_file(log, trace.script)
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_name(f".{file.name}")  # nobody lists it
    try:
        text = as_json(trace, indent=None).encode("utf-8", "backslashreplace")
        unfinished.write_bytes(with_checksum(text))
        os.replace(unfinished, file)  # noqa: PTH105
    except BaseException:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise
    return file
