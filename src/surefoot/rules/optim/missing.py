"""Parameters that losses reach and no optimizer holds: which they are, and what suggests intent."""

from collections.abc import Iterable

from surefoot.facts import ParameterFacts, SetupFacts, StepFacts
from surefoot.facts.frozen import frozen


@frozen
class Unit:
    """The largest module, or the single parameter, of which no optimizer holds anything."""

    name: str
    params: tuple[ParameterFacts, ...]
    shares_model: bool  # other parts of its model are trained
    shares_module: bool  # other parameters of the very same layer are trained

    @property
    def num_elements(self) -> int:
        return sum(p.num_elements for p in self.params)

    @property
    def num_matrices(self) -> int:
        return num_matrices(self.params)

    def every(self, fact: str) -> bool:
        return all(getattr(p, fact) for p in self.params)

    def any(self, fact: str) -> bool:
        return any(getattr(p, fact) for p in self.params)


def num_matrices(params: Iterable[ParameterFacts]) -> int:
    return sum(len(p.shape) >= 2 for p in params)


def trained(setup: SetupFacts) -> list[ParameterFacts]:
    return [p for p in setup.parameters if p.optimizers and p.reached and p.requires_grad]


def missing(setup: SetupFacts) -> list[ParameterFacts]:
    """Those that keep getting gradients other than zero and are never updated."""
    passing = {facts.site for facts in setup.passing}
    return [
        p
        for p in setup.parameters
        if p.reached and p.nonzero and p.requires_grad and not p.optimizers and not p.by_hand
        if p.made_at not in passing
    ]


def successors(setup: SetupFacts, *, of_trained: bool) -> frozenset[str]:
    """Names of parameters in whose place an optimizer still holds another, trained before it was replaced or not."""
    return frozenset(
        p.replaced_by for p in setup.parameters if p.optimizers and p.replaced_by and p.reached is of_trained
    )


def units(params: list[ParameterFacts], setup: SetupFacts) -> list[Unit]:
    """Missing parameters, gathered into the largest modules that are missing as a whole."""
    kept = [(p.model, p.name) for p in trained(setup)]
    kept_modules = {(model, name.rpartition(".")[0]) for model, name in kept}
    kept_paths = {(model, path) for model, name in kept for path in _paths(name)}
    kept_models = {model for model, _ in kept if model is not None}
    gathered: dict[tuple[int | None, str], list[ParameterFacts]] = {}
    for p in params:
        free = [path for path in _paths(p.name) if (p.model, path) not in kept_paths and p.model is not None]
        gathered.setdefault((p.model, free[0] if free else p.name), []).append(p)
    return [
        Unit(
            name=name or some[0].name,
            params=tuple(some),
            shares_model=model in kept_models,
            shares_module=model is not None and any((model, p.module) in kept_modules for p in some),
        )
        for (model, name), some in gathered.items()
    ]


def _paths(name: str) -> list[str]:
    """The modules above a parameter, outermost first: "", "a", "a.b" for "a.b.weight"."""
    parts = name.split(".")[:-1]
    return [".".join(parts[:i]) for i in range(len(parts) + 1)]


def get_gradients(step: StepFacts) -> bool:
    """Parameters without optimizer got gradients for this step."""
    ordinals = {b.ordinal for b in step.backwards}
    return any(g.present and not ordinals.isdisjoint(g.sources) for g in step.unowned)


def reaches(step: StepFacts) -> bool:
    """A backward for this step reached parameters of the optimizer that steps."""
    return any(number == step.optimizer for b in step.backwards for number, _ in b.reached)


def names_of(params: Iterable[ParameterFacts]) -> str:
    """A few names, for messages."""
    some = [p.name for p in params]
    return ", ".join(some[:3]) + (", …" if len(some) > 3 else "")


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
