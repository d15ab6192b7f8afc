"""Names of parameters, as `model.named_parameters()` has them."""

import weakref

from torch import Tensor
from torch.nn import Module

from surefoot.watch.inventory.model_scan import ModelScan, scan_models, variable_of
from surefoot.watch.inventory.registry import Registry


class Names:
    """Looks through the live modules, once and again whenever a parameter is unknown.

    The newest model scan is kept here for everybody; the last name of a parameter stays when its model has gone.
    """

    def __init__(self) -> None:
        self._names: dict[int, tuple[weakref.ref[Tensor], str]] = {}
        self._strangers: dict[int, weakref.ref[Tensor]] = {}
        self.registry = Registry()
        self.scan = ModelScan()
        self.num_model_scans = 0

    def of(self, param: Tensor) -> str:
        name = self._known(param)
        if name is None and not self._is_stranger(param):
            self.learn()
            name = self._known(param) or variable_of(param)
            if name is None:
                self._strangers[id(param)] = weakref.ref(param)
            else:
                self._names[id(param)] = (weakref.ref(param), name)
        return f"<unnamed {tuple(param.shape)}>" if name is None else name

    def _known(self, param: Tensor) -> str | None:
        known = self._names.get(id(param))
        return known[1] if known is not None and known[0]() is param else None

    def _is_stranger(self, param: Tensor) -> bool:
        stranger = self._strangers.get(id(param))
        return stranger is not None and stranger() is param

    def learn(self) -> ModelScan:
        """Take a new model scan."""
        self.scan = scan_models(self.registry.alive())
        self.num_model_scans += 1
        self._names = {key: known for key, known in self._names.items() if known[0]() is not None}
        for key, place in self.scan.places.items():
            self._names[key] = (place.param, place.label)
        return self.scan

    def roots(self) -> list[Module]:
        """The live modules with parameters that no other module holds, biggest first."""
        return [model for ref in self.learn().roots if (model := ref()) is not None]
