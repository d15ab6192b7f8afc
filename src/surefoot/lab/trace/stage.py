"""What a trace is made of: stages, in the order in which they happened. `docs/trace.md` tells them all."""

from dataclasses import dataclass, field

from surefoot.facts import LossFacts, Site

Shape = tuple[int, ...]
Values = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Glimpse:
    """A tensor at one moment. Range, mean and spread are those of its finite elements."""

    shape: Shape
    dtype: str
    device: str = "cpu"
    lowest: float | None = None
    highest: float | None = None
    mean: float | None = None
    spread: float | None = None  # standard deviation, over all elements
    num_bad: int = 0  # elements that are NaN or Inf
    num_bytes: int = 0
    values: Values = ()  # the first few


@dataclass(frozen=True, slots=True)
class Item:
    """A part of a batch, or of what a module was given: a tensor, or the kind of something else."""

    name: str  # "0", "labels", "0.mask"; "" if it is the whole
    tensor: Glimpse | None = None
    kind: str = ""


@dataclass(slots=True)
class ModuleCall:
    """One call of a module inside a forward."""

    name: str  # as `named_modules()` of the outermost one has it; "" for that one itself
    module: str  # class name
    depth: int
    given: tuple[Shape, ...] = ()
    output: tuple[Shape, ...] = ()
    dtype: str = ""  # of the first output, as mean and spread are
    mean: float | None = None
    spread: float | None = None
    num_bad: int = 0
    seconds: float = 0.0
    num_bytes: int = 0  # of all outputs


@dataclass(frozen=True, slots=True)
class Change:
    """A tensor of one parameter, its gradient or its weights, before and after a stage. Sizes are Euclidean norms."""

    name: str
    shape: Shape
    before: float | None = None  # None: there was no gradient
    after: float | None = None
    moved: float = 0.0  # norm of the difference
    values_before: Values = ()
    values_after: Values = ()
    gradient: float | None = None  # with weights: the norm of the gradient that the step used; None: it had none
    sources: tuple[int, ...] = ()  # backwards that are summed up in the gradient
    used_by: tuple[int, ...] = ()  # steps that had used it before


@dataclass(frozen=True, slots=True)
class Rate:
    """Learning rates of one optimizer, by parameter group."""

    optimizer: int
    before: Values = ()
    after: Values = ()


@dataclass(slots=True, kw_only=True)
class Stage:
    kind: str
    step: int  # to whose window it belongs; counts the steps of all optimizers from 1
    site: Site | None = None
    inside_step: int | None = None  # the optimizer in whose closure it happened


@dataclass(slots=True, kw_only=True)
class Data(Stage):
    kind: str = "data"
    number: int = 1  # of the batch in its pass
    length: int | None = None  # batches of a whole pass
    seconds: float = 0.0  # that the program waited
    items: tuple[Item, ...] = ()


@dataclass(slots=True, kw_only=True)
class Forward(Stage):
    kind: str = "forward"
    model: str = ""
    training: bool = True
    given: tuple[Item, ...] = ()
    output: tuple[Item, ...] = ()
    calls: list[ModuleCall] = field(default_factory=list)  # in the order in which they began; the first is the whole
    num_left_out: int = 0  # calls beyond those that are kept


@dataclass(slots=True, kw_only=True)
class Evaluation(Stage):
    """Forwards without gradients, one after the other."""

    kind: str = "evaluation"
    models: dict[str, int] = field(default_factory=dict)  # how many forwards, by model
    num_batches: int = 0  # taken from loaders between them
    seconds: float = 0.0


@dataclass(slots=True, kw_only=True)
class Loss(Stage):
    """Read off its graph when it is backwarded."""

    kind: str = "loss"
    backward: int = 0
    value: float | None = None
    wiring: LossFacts | None = None


@dataclass(slots=True, kw_only=True)
class Backward(Stage):
    kind: str = "backward"
    backward: int = 0  # counts backwards
    seconds: float = 0.0
    changes: tuple[Change, ...] = ()  # of the gradients that it reached
    num_params: int = 0  # that optimizers hold
    norm: float | None = None  # of all gradients that it reached, as they lie there now
    retain_graph: bool = False
    create_graph: bool = False
    scale: bool = False  # the loss was multiplied by a GradScaler


@dataclass(slots=True, kw_only=True)
class Clear(Stage):
    kind: str = "clear"
    optimizer: int | None = None  # None: a module cleared
    name: str = ""  # class name of the optimizer
    model: str = ""  # or of the module
    set_to_none: bool = True
    changes: tuple[Change, ...] = ()
    num_unused: int = 0  # gradients among them that no step had used


@dataclass(slots=True, kw_only=True)
class Edit(Stage):
    """The program itself changed gradients, with no call that is known."""

    kind: str = "edit"
    before_stage: str = ""  # the kind of the stage at which that was noticed
    changes: tuple[Change, ...] = ()


@dataclass(slots=True, kw_only=True)
class Unscale(Stage):
    kind: str = "unscale"
    optimizer: int = 0
    scale: float = 1.0
    changes: tuple[Change, ...] = ()


@dataclass(slots=True, kw_only=True)
class Clip(Stage):
    kind: str = "clip"
    by: str = "norm"  # or "value"
    limit: float = 0.0
    norm: float | None = None  # as clipping computed it
    factor: float | None = None  # by which all gradients were multiplied
    norm_after: float | None = None
    num_params: int = 0
    num_gradients: int = 0
    changes: tuple[Change, ...] = ()


@dataclass(slots=True, kw_only=True)
class Step(Stage):
    kind: str = "step"
    optimizer: int = 0
    name: str = ""  # class name
    update: int = 0  # counts the steps of this optimizer
    settings: dict[str, Values] = field(default_factory=dict)  # of its first parameter group
    rates: Values = ()
    closure: bool = False
    skipped: bool = False  # by a GradScaler
    window: tuple[int, ...] = ()  # the backwards whose gradients it uses
    changes: tuple[Change, ...] = ()
    num_without_gradient: int = 0
    findings: list[str] = field(default_factory=list)  # what the rules say: "error[rule] message"


@dataclass(slots=True, kw_only=True)
class Schedule(Stage):
    kind: str = "schedule"
    scheduler: int = 0
    name: str = ""  # class name
    count: int = 0  # calls so far
    metric: float | None = None
    rates: tuple[Rate, ...] = ()


@dataclass(slots=True, kw_only=True)
class Pass(Stage):
    """A pass over a loader begins or ends."""

    kind: str = "pass"
    loader: int = 0
    edge: str = "start"
    epoch: int = 1
    complete: bool = True
    num_batches: int = 0


@dataclass(frozen=True, slots=True)
class LossCurve:
    """The losses that one line backwarded in a stretch of training."""

    site: Site | None
    num: int
    first: float
    last: float
    mean: float


@dataclass(frozen=True, slots=True)
class HeldOut:
    """A loss that was computed without gradients, or logged, after some steps."""

    step: int  # after which
    loss: float  # mean
    num: int = 1  # over which the mean is taken
    name: str = ""  # by which the program logged it
    kind: str = ""  # of torch's function that computed it
    site: Site | None = None


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Of a classifier, at a line that computes its loss."""

    site: Site | None
    num: int  # of answers
    share: float  # of them that are right
    step: int | None = None  # after which they were given without gradients; None: in training


@dataclass(frozen=True, slots=True)
class Epoch:
    """A pass over a loader in which there were backwards; without loaders, a stretch of steps."""

    loader: int | None
    epoch: int  # counts those of this loader, or begun at this line, with backwards
    num_batches: int | None
    first_step: int
    last_step: int
    complete: bool
    losses: tuple[LossCurve, ...] = ()
    held_out: tuple[HeldOut, ...] = ()
    accuracies: tuple[Accuracy, ...] = ()
    site: Site | None = None  # where the pass begins


@dataclass(frozen=True, slots=True)
class Line:
    """Of the program, as it was when it ran."""

    file: str
    line: int
    text: str


@dataclass(slots=True)
class Trace:
    script: str
    first: int  # step that was asked for
    num_steps: int
    num_taken: int = 0  # steps of the whole program
    ended: str = ""
    stages: list[Stage] = field(default_factory=list)
    num_left_out: int = 0  # stages beyond those that are kept
    epochs: tuple[Epoch, ...] = ()
    off: dict[str, str] = field(default_factory=dict)  # probes that were switched off, and why
    optimizers: dict[int, str] = field(default_factory=dict)  # class names
    started: str = ""  # when, in UTC
    folder: str = ""  # in which the program was started
    command: tuple[str, ...] = ()  # the program and its arguments
    source: tuple[Line, ...] = ()  # the lines that stages name
