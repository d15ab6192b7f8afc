"""Keep torch's compiler out of our own code.

Where a compiled program falls back to plain Python, the compiler looks at every function that is then called, and
would compile, or complain about, the code that watches. It is told to leave that alone.
"""

from types import CodeType
from typing import Any

import torch

_compiler: Any = torch._C._dynamo.eval_frame


def leave_alone(*codes: CodeType, and_all_they_call: bool) -> None:
    """Have these functions run as they are, also inside a compiled program."""
    if not hasattr(_compiler, "_FrameExecStrategy"):
        return  # a version of torch whose compiler can't be told
    skip, default = _compiler._FrameAction.SKIP, _compiler._FrameAction.DEFAULT
    for code in codes:
        _compiler.set_code_exec_strategy(
            code, _compiler._FrameExecStrategy(skip, skip if and_all_they_call else default)
        )
