"""Whether a call's answer is thrown away where it was called."""

import dis
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType

_OWN = str(Path(__file__).resolve().parents[2])


def caller_of(frame: FrameType) -> FrameType:
    """The frame that made the call, past the wrappers of other probes."""
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_OWN):
        frame = frame.f_back
    return frame


def is_thrown_away(frame: FrameType) -> bool:
    """Whether the call that the frame is in the middle of stands alone, as a statement."""
    return frame.f_lasti in _lonely_calls(frame.f_code)


@lru_cache(maxsize=64)
def _lonely_calls(code: CodeType) -> frozenset[int]:
    instructions = [i for i in dis.get_instructions(code) if i.opname not in ("CACHE", "EXTENDED_ARG")]
    return frozenset(
        offset
        for now, after in pairwise(instructions)
        if now.opname.startswith("CALL") and after.opname == "POP_TOP"
        for offset in range(now.offset, after.offset, 2)  # a frame may stand at any of the caches behind its call
    )
