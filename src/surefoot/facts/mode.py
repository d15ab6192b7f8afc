"""Train and eval mode: what the model an optimizer trains was switched to, and how it was evaluated."""

from surefoot.facts.frozen import frozen
from surefoot.facts.site import Site


@frozen
class EvalModeFacts:
    """All that a step updates lay in models that were in eval mode at the backward before it."""

    models: tuple[str, ...]  # class names of the modules that were switched
    site: Site | None = None  # where the last of them was switched
    num_dropout: int = 0  # layers that eval mode turned off
    num_batchnorm: int = 0
    functional_dropout: bool = False  # `F.dropout(..., training=False)` was called in one of them
    num_frozen: int = 0  # parameters of these models that do not require grad
    num_steps_in_train: int = 0  # earlier steps of this optimizer in train mode


@frozen
class TinyBatchFacts:
    """The batch-norm layer that most often trained on fewer values per channel than `below`."""

    layer: str
    num_layers: int = 1  # how many did
    below: int = 4
    values_per_channel: int = 1
    num_tiny: int = 0  # its training forwards on fewer values
    num_forwards: int = 0  # all its training forwards
    site: Site | None = None  # the model's call


@frozen
class DriftFacts:
    """A batch-norm layer in train mode whose weights are frozen and stay as they are."""

    layer: str
    num_layers: int = 1
    num_forwards: int = 0  # that moved its statistics
    num_steps: int = 0  # of any optimizer, since it was first seen
    under_no_grad: bool = False
    shift: float | None = None  # of its running means, in their standard deviations when first seen
    site: Site | None = None  # the model's call


@frozen
class MomentumFacts:
    """Batch-norm layers with a large momentum that were trained and then evaluated by their running statistics."""

    layer: str
    momentum: float
    num_layers: int = 1
    num_batches: int = 0  # that it has trained on, at least
    site: Site | None = None  # where it was made, or its momentum was set; else where it was evaluated


@frozen
class IdleCopyFacts:
    """A copy of a model, called a target or an average, that still has the weights it began with."""

    name: str
    model: str = ""  # that it is a copy of
    num_updates: int = 0  # of the model
    num_idle: int = 0  # of these, up to which the copy was seen not to move
    site: Site | None = None  # of the model's last step


@frozen
class AveragedFacts:
    """A copy of a trained model that runs in eval mode; the program moves its weights, but not its statistics."""

    model: str  # class name of the copy
    param: str  # name of its first parameter, which tells it from others
    num_layers: int = 1  # batch-norm layers
    num_steps: int = 0  # of any optimizer, for which it was watched
    site: Site | None = None  # the call of the copy


@frozen
class PlainAverageFacts:
    """An AveragedModel in eval mode with the batch-norm statistics of the last weights that it was given."""

    model: str  # class name of what it averages
    num_layers: int = 1  # batch-norm layers
    num_averaged: int = 0
    apart: float = 0.0  # distance of its weights from the last ones, relative to these
    site: Site | None = None  # the call


@frozen
class LostDropoutFacts:
    """Dropout layers that trained, were switched off for an evaluation and are still off in training.

    Other modules that the same optimizer trains are in train mode.
    """

    holder: str  # class name of the module around the first of them
    num_layers: int = 1
    num_steps: int = 0  # backwards through it while it was off, so far
    site: Site | None = None  # the line that switched it off


@frozen
class ModeFacts:
    """What a step has to do with train and eval mode."""

    in_eval: EvalModeFacts | None = None
    num_batchnorm_trained: int = 0  # batch-norm layers of this optimizer that took batch statistics since its last step
    tiny_batch: TinyBatchFacts | None = None
    drift: DriftFacts | None = None


@frozen
class EvaluationFacts:
    """Forwards of one model from one line between two backwards, that no backward followed.

    Only what dropout and batch-norm layers let us see is told: forwards without gradient in which they are active,
    eval-mode forwards with gradient, and train-mode forwards with gradient in a pass over a loader on which nothing is
    trained, if their graphs are gone.
    """

    model: str
    site: Site | None = None  # the model's call
    num_forwards: int = 1
    num_repeated: int = 0  # of these, given the very tensor of the forward before: sampling
    in_train: bool = True  # the model's own flag
    with_gradient: bool = False
    wants_input_gradient: bool = False
    num_batchnorm: int = 0  # layers whose statistics moved
    num_dropout: int = 0  # layers and functional calls that drew
    dropout_in_eval: tuple[Site, ...] = ()  # dropout that eval mode can not switch off, and drew
    is_trained: bool = True  # by an optimizer that has stepped, through parameters that require grad
    is_copy: bool = False  # not trained itself, and its parameters have the shapes of those that an optimizer trains
    switched_on: bool = False  # the program switched it from eval to train since the last step
    recalibrates: bool = False  # batch-norm statistics were reset or are averaged anew
    phase: int = 1  # counts the phases at this line
    gaps: tuple[int, ...] = ()  # steps between the last few phases at this line
    before_first_step: bool = False  # the line also ran before the model's first step
    is_last: bool = False  # the run ended and no step of this model followed
    num_optimizers: int = 1  # that have stepped
