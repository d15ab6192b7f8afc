"""Was a part of the model left out of the optimizer on purpose? The evidence for it."""

from surefoot.facts import ParameterFacts, SetupFacts
from surefoot.rules.optim.missing import Unit, num_matrices, successors, trained

ADAPTER_SHARE = 0.5  # adapters spread over a model are smaller than what they adapt
SMALL_SHARE = 0.1  # trained parameters in the middle of a model that is ten times larger are an adapter too


def is_left_out_on_purpose(unit: Unit, others: list[Unit], setup: SetupFacts) -> bool:
    """Whether a missing unit looks left out on purpose, seen together with all missing ones."""
    kept = trained(setup)
    if _took_the_place_of_trained(unit, setup):
        return False
    if unit.any("thawed") and not unit.any("trained"):
        return False  # nobody thaws in the middle of training what is not to be trained
    if has_a_past(unit, kept):
        return True
    if unit.any("late"):
        return False
    if _is_norm(unit) or _is_filtered_by_name(unit):
        return True
    if _only_inputs_are_trained(unit, kept) or _adapters_are_trained(unit, others, kept, setup):
        return True
    return _is_backbone(unit, others, kept)


def _took_the_place_of_trained(unit: Unit, setup: SetupFacts) -> bool:
    """The optimizer holds what stood here before: it was meant to be trained."""
    return any(p.name in successors(setup, of_trained=False) for p in unit.params)


def has_a_past(unit: Unit, kept: list[ParameterFacts]) -> bool:
    """It was trained elsewhere or is only looked at, while the trained part was not."""
    for fact in ("eval_mode", "loaded", "copied"):
        if unit.every(fact) and (not unit.shares_model or not any(getattr(p, fact) for p in kept)):
            return True
    return unit.every("trained")


def _is_norm(unit: Unit) -> bool:
    return all("Norm" in p.module_kind for p in unit.params)


def _is_filtered_by_name(unit: Unit) -> bool:
    """Other parameters of the same layers are trained: biases only, low-rank factors. Nobody leaves out biases."""
    return unit.shares_module and unit.num_matrices > 0


def _only_inputs_are_trained(unit: Unit, kept: list[ParameterFacts]) -> bool:
    """Prompts, latent codes, an image before a model: not a layer of it."""
    is_model = all(p.model is not None for p in unit.params)
    return is_model and all(p.model is None or p.module_kind == "Embedding" for p in kept)


def _adapters_are_trained(unit: Unit, others: list[Unit], kept: list[ParameterFacts], setup: SetupFacts) -> bool:
    """Small trained parts are spread over a model that is left out before and behind them."""
    if not unit.shares_model:
        return False
    left_out = [p for other in others for p in other.params]
    both_sides = any(p.before_trained for p in left_out) and any(p.after_trained for p in left_out)
    num_kept = sum(p.num_elements for p in kept)
    share = num_kept / (num_kept + sum(p.num_elements for p in left_out))
    runs = _trained_runs(setup)
    return both_sides and (share < SMALL_SHARE or (runs > 1 and len(others) > 1 and share < ADAPTER_SHARE))


def _trained_runs(setup: SetupFacts) -> int:
    """In how many stretches of the model, in the order of registration, the trained parameters lie."""
    flags = [bool(p.optimizers) for p in setup.parameters if p.reached and p.model is not None]
    return sum(now and not before for before, now in zip([False, *flags], flags, strict=False))


def _is_backbone(unit: Unit, others: list[Unit], kept: list[ParameterFacts]) -> bool:
    """It lies wholly before what is trained, and that is a head: smaller than what is left out."""
    if unit.any("after_trained") or not unit.any("before_trained"):
        return False
    left_out = [other for other in others if not other.any("after_trained")]
    num_kept = num_matrices(kept)
    return num_kept <= 1 or num_kept < sum(other.num_matrices for other in left_out)
