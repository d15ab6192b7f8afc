"""One module object in several slots of a container, as `[block] * n` makes it, that works on its own output."""

from __future__ import annotations

import re
import weakref
from collections import Counter
from typing import TYPE_CHECKING, Any

from torch import Tensor
from torch.nn import Module, ModuleList, Sequential
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.module import register_module_module_registration_hook
from torch.nn.parameter import is_lazy

from surefoot.facts import RepeatedFacts, Site
from surefoot.watch.inventory.discovery import children_first
from surefoot.watch.inventory.module import parameters_of, part
from surefoot.watch.probe import Probe
from surefoot.watch.source import scope_lines, text_of

if TYPE_CHECKING:
    from surefoot.watch.backward import Backward
    from surefoot.watch.recorder import Recorder

CONTAINERS = (ModuleList, Sequential)
LOOKS = 4  # backwards, after each new look at all modules, in whose graph chains are looked for
COMMENT_LINES = 3  # above the code
PURPOSE = re.compile(r"\bshar|_shar|\b(un)?tie[ds]?\b|tied|tying|universal|albert|unroll|recur|reus|same ", re.I)


class RepeatedProbe(Probe):
    name = "repeated"

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._sites: dict[int, tuple[weakref.ref[Module], Site | None]] = {}  # by the identity of the container
        self._suspects: list[tuple[weakref.ref[Module], weakref.ref[Module]]] = []
        self._found: dict[tuple[int, int], RepeatedFacts] = {}
        self._num_censuses = self._looks_left = 0
        recorder.tap.on_removal(register_module_module_registration_hook(self._registers).remove)

    def _registers(self, owner: Module, name: str, module: Any) -> None:
        if issubclass(type(owner), CONTAINERS) and any(m is module for m in part(owner, "_modules").values()):
            self._recorder.tap.run(self.name, self._note, owner)

    def _note(self, owner: Module) -> None:
        if id(owner) not in self._sites or self._sites[id(owner)][0]() is not owner:
            self._sites[id(owner)] = (weakref.ref(owner), self._recorder.sites.here(3))

    def backward_begins(self, backward: Backward) -> None:
        names = self._recorder.names
        if names.num_model_scans != self._num_censuses:
            self._num_censuses, self._looks_left = names.num_model_scans, LOOKS
            self._suspects = [
                (weakref.ref(module), weakref.ref(child))
                for module in names.registry.alive()
                if issubclass(type(module), CONTAINERS)
                for child in _repeated_in(module)
            ]
        if self._suspects and self._looks_left:
            self._looks_left -= 1
            for container, module in self._suspects:
                self._look(container(), module(), backward)

    def _look(self, container: Module | None, module: Module | None, backward: Backward) -> None:
        if container is None or module is None or (id(container), id(module)) in self._found:
            return
        params = [p for p in parameters_of(module) if p.requires_grad and not is_lazy(p)]
        length = _longest_chain(backward, params[0]) if _matters(module, params) else 0
        if length < 2:
            return
        known = self._sites.get(id(container))
        site = known[1] if known is not None and known[0]() is container else None
        self._found[id(container), id(module)] = RepeatedFacts(
            container=type(container).__name__,
            module=type(module).__name__,
            num_slots=sum(m is module for m in part(container, "_modules").values()),
            num_elements=sum(p.numel() for p in parameters_of(module) if not is_lazy(p)),
            num_in_chain=length,
            optimizers=tuple(tracked.id for tracked in self._recorder.optimizers.holding([id(params[0])])),
            is_declared=site is not None and _speaks_of_sharing(site),
            site=site,
        )
        self._recorder.setup_due = True

    def setup_facts(self) -> dict[str, Any]:
        return {"repeated": tuple(self._found.values())} if self._found else {}


def _matters(module: Module, params: list[Tensor]) -> bool:
    """Not an activation with a parameter, which many share; batch-norm layers share their statistics, too."""
    return any(p.ndim > 1 for p in params) or (bool(params) and issubclass(type(module), _BatchNorm))


def _repeated_in(container: Module) -> list[Module]:
    children = {id(m): m for m in part(container, "_modules").values() if m is not None}
    counts = Counter(id(m) for m in part(container, "_modules").values() if m is not None)
    return [children[key] for key, count in counts.items() if count > 1]


def _longest_chain(backward: Backward, param: Tensor) -> int:
    """How many operations that take this parameter follow one another in the graph; 0 if it is too large to tell."""
    nodes, whole = children_first([root.grad_fn for root in backward.roots if root.grad_fn is not None])
    if not whole:
        return 0
    spelled: set[Any] = set()  # the parameter itself, perhaps transposed
    longest: dict[Any, int] = {}
    for node, children in nodes.items():
        if getattr(node, "variable", None) is param or (len(children) == 1 and children[0] in spelled):
            spelled.add(node)
            continue
        below = max((longest.get(child, 0) for child in children), default=0)
        longest[node] = below + any(child in spelled for child in children)
    return max(longest.values(), default=0)


def _speaks_of_sharing(site: Site) -> bool:
    """Whether the code that builds it does, or the code that calls that."""
    for file, line in (site.place, *site.callers):
        first, last = scope_lines(file, line)
        lines = text_of(file).splitlines()[max(0, first - 1 - COMMENT_LINES) : last]
        if PURPOSE.search("\n".join(lines)):
            return True
    return False
