"""Watch the steps of optimizers that are none of torch's, of the libraries that the program imports."""

from __future__ import annotations

import sys
import weakref
from functools import partial
from typing import TYPE_CHECKING, Any

from torch.compiler import is_compiling

from surefoot.launch.hook.surefoot_import import when_any_imported
from surefoot.watch.adapter import fastai, keras
from surefoot.watch.adapter.adapter import EntryPoint, Library, NotSeenError, OptimizerAdapter, adapter_for
from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from surefoot.watch.clear import ClearProbe
    from surefoot.watch.recorder import Recorder
    from surefoot.watch.step import StepProbe

LIBRARIES: list[tuple[EntryPoint, Library]] = [(keras.ENTRY, keras.Keras()), (fastai.ENTRY, fastai.Fastai())]


class AdapterProbe(Probe):
    name = "adapter"

    def __init__(self, steps: StepProbe, clears: ClearProbe) -> None:
        self._steps = steps
        self._clears = clears
        self._adapters: weakref.WeakKeyDictionary[Any, OptimizerAdapter] = weakref.WeakKeyDictionary()

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        calls = {entry.module: partial(self._listen, entry, library) for entry, library in LIBRARIES}
        recorder.tap.on_removal(when_any_imported(calls))

    def _listen(self, entry: EntryPoint, library: Library) -> None:
        owner, tap = getattr(sys.modules[entry.module], entry.owner, None), self._recorder.tap
        if not all(hasattr(owner, name) for name in (entry.step, entry.made)):  # another version of the library
            return
        tap.listen(owner, entry.made, self.name, after=partial(self._made, library))
        if entry.clear:
            tap.listen(owner, entry.clear, self.name, before=self._cleared)
        tap.replace(owner, entry.step, partial(self._wrapper, library))

    def _wrapper(self, library: Library, original: Any) -> Any:
        tap, before, after = self._recorder.tap, self._steps.before, self._steps.after

        def wrapper(*args: Any, **given: Any) -> Any:
            adapter = None if is_compiling() else tap.run(self.name, self._stepping, library, args, given)
            if adapter is None:
                return original(*args, **given)
            before(adapter, (adapter,), {})
            result = original(*args, **given)
            after(adapter, (adapter,), {})
            return result

        return wrapper

    def _made(self, library: Library, begun: None, args: Any, kwargs: Any, result: Any) -> None:
        self._adapter(library, args[0])

    def _cleared(self, args: Any, kwargs: Any) -> None:
        adapter = self._adapters.get(args[0])
        if adapter is not None:
            self._clears.by_optimizer((adapter,), {"set_to_none": False})

    def _stepping(self, library: Library, args: Any, given: Any) -> OptimizerAdapter | None:
        """Of a step that begins: who stands for the optimizer. None if the step can't be watched, which is counted."""
        optimizer = args[0]
        try:
            library.check(optimizer, args[1:], given)
            return self._adapter(library, optimizer)
        except NotSeenError as error:
            what = f"{library.name}'s {type(optimizer).__name__}: {error}"
            told = self._recorder.not_watched
            told[what] = told.get(what, 0) + 1
            return None

    def _adapter(self, library: Library, optimizer: Any) -> OptimizerAdapter:
        groups = library.groups(optimizer)
        adapter = self._adapters.get(optimizer)
        if adapter is not None and len(adapter.param_groups) == len(groups):
            adapter.take(groups)
            return adapter
        adapter = self._adapters[optimizer] = adapter_for(type(optimizer).__name__, groups)
        self._recorder.tracked(adapter, self._recorder.sites.here())
        return adapter
