"""What exists: models, parameters, optimizers, schedulers."""

from dataclasses import field
from math import prod

from surefoot.facts.frozen import frozen
from surefoot.facts.mode import AveragedFacts, LostDropoutFacts, MomentumFacts, PlainAverageFacts
from surefoot.facts.saved import AliasFacts, OverwrittenFacts, SelfLoadFacts, UnmatchedFacts, UnrestoredPartFacts
from surefoot.facts.schedule import SchedulerFacts
from surefoot.facts.site import Site


@frozen
class GroupFacts:
    """One parameter group of an optimizer."""

    lr: float
    weight_decay: float = 0.0
    momentum: float = 0.0
    num_params: int = 0
    num_elements: int = 0
    decoupled: bool = False  # decay acts on the weights, not through the gradient
    num_norm_or_bias: int = 0  # of the parameters
    initial_lr: float | None = None  # before a scheduler changed it; None without one


@frozen
class OptimizerFacts:
    id: int
    kind: str  # class name
    builtin: bool = True  # its step is torch's own
    site: Site | None = None  # where it was made
    groups: tuple[GroupFacts, ...] = ()
    made_in_loop: str = ""  # the variables of the loop that makes it; only read where it has ancestors
    ancestors: tuple[int, ...] = ()  # earlier ones with state that this very line made for the same parameters


@frozen
class ParameterFacts:
    """A parameter that an optimizer holds, a backward reaches, or that lies in the model of such a one.

    They come model by model, in the order of registration.
    """

    name: str  # as `model.named_parameters()` has it, with its model where there are several
    model: int | None  # ModelFacts.id
    shape: tuple[int, ...] = ()
    dtype: str = "float32"
    requires_grad: bool = True
    optimizers: tuple[int, ...] = ()  # who holds it
    module_kind: str = ""  # class name of the module that holds it
    reached: bool = False  # lies in the graph of a loss that was backwarded
    before_trained: bool = False  # in that graph a parameter that an optimizer holds works on its output
    after_trained: bool = False  # in that graph it works on the output of one that an optimizer holds
    nonzero: bool = False  # no optimizer holds it, and it was seen to get a gradient other than zero
    late: bool = False  # its module came after the optimizers that now step were made
    eval_mode: bool = False  # its module was in eval mode when last looked at
    loaded: bool = False  # `load_state_dict` filled it
    copied: bool = False  # its model, or the part of the model in which it lies, is a deep copy or was unpickled
    by_hand: bool = False  # no optimizer holds it, and the program itself changes it between steps
    trained: bool = False  # an optimizer has stepped it, perhaps one that is gone
    thawed: bool = False  # no optimizer holds it; it was frozen, and now requires a gradient
    made_at: Site | None = None  # the line that made it, if training was already under way
    hidden_in: str = ""  # "Net.layers": an attribute of a module where `parameters()` does not look
    hidden_as: str = ""  # what that attribute is: "list", "dict", "Tensor"
    hidden_at: Site | None = None  # the line that assigns it
    had_home: bool = False  # it is in no module, but was in one
    replaced_by: str = ""  # the parameter that took its place in its module
    replaced_at: Site | None = None  # the line that did so

    @property
    def num_elements(self) -> int:
        return prod(self.shape)

    @property
    def module(self) -> str:
        """Name of the module that holds it."""
        return self.name.rpartition(".")[0]


@frozen
class ModelFacts:
    """A module that no other module holds, with parameters that take part in training."""

    id: int
    kind: str
    site: Site | None = None
    num_params: int = 0
    num_trainable: int = 0


@frozen
class MisspellingFacts:
    """An attribute that was set as if it were `requires_grad`, without effect."""

    attribute: str
    owner: str  # "parameter" or "module"
    names: tuple[str, ...]  # a few of those that carry it
    num: int
    value: bool
    site: Site | None = None


@frozen
class PassingFacts:
    """Parameters that a `forward` makes anew each time it runs."""

    site: Site
    kind: str  # class name of the module made
    num_backwards: int  # in how many of the backwards looked at they were seen


@frozen
class RepeatedFacts:
    """One module object in several slots of a `ModuleList` or `Sequential`, whose output is its own next input."""

    container: str  # class name of what holds it
    module: str  # class name
    num_slots: int
    num_elements: int  # of its parameters
    num_in_chain: int  # how often it works on its own output in one forward, and once more for the first time
    optimizers: tuple[int, ...] = ()  # that hold its parameters
    is_declared: bool = False  # the code around speaks of shared or tied weights
    site: Site | None = None  # where it was put into a slot again


@frozen
class UninitialisedFacts:
    """A parameter that a loss used before anything was written to it."""

    name: str
    shape: tuple[int, ...]
    made_by: str  # "empty", "Tensor"
    site: Site | None = None  # where it was registered


@frozen
class SetupFacts:
    """Written before the first step, and again when something appears or changes."""

    at: int
    optimizers: tuple[OptimizerFacts, ...] = ()
    models: tuple[ModelFacts, ...] = ()
    parameters: tuple[ParameterFacts, ...] = ()
    schedulers: tuple[SchedulerFacts, ...] = ()
    misspellings: tuple[MisspellingFacts, ...] = ()
    passing: tuple[PassingFacts, ...] = ()
    frozen_at: Site | None = None  # the first line that sets `requires_grad`, where most parameters are frozen
    unmatched: tuple[UnmatchedFacts, ...] = ()
    aliases: tuple[AliasFacts, ...] = ()
    self_loads: tuple[SelfLoadFacts, ...] = ()
    overwritten: tuple[OverwrittenFacts, ...] = ()
    unrestored_parts: tuple[UnrestoredPartFacts, ...] = ()
    repeated: tuple[RepeatedFacts, ...] = ()
    momentum: MomentumFacts | None = None
    uninitialised: tuple[UninitialisedFacts, ...] = ()
    averaged: tuple[AveragedFacts, ...] = ()
    plain_averages: tuple[PlainAverageFacts, ...] = ()
    lost_dropout: LostDropoutFacts | None = None
    version: int = field(default=1)
