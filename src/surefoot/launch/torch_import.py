"""Start watching when the program imports torch.

Importing torch before the program would be simpler, but it would be too early: programs set `OMP_NUM_THREADS` and
the like before they import torch, and then other numbers would come out.
"""

from collections.abc import Callable

from surefoot.launch.hook.surefoot_import import when_imported


def when_torch_is_imported(call: Callable[[], None]) -> Callable[[], None]:
    """Call it once, right after torch's import, or now if that is past. Returns how to take it back."""
    return when_imported("torch", call)
