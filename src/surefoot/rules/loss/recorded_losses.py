"""The losses in a record."""

from collections.abc import Iterator

from surefoot.facts import BackwardFacts, EndFacts, LossFacts, StepFacts
from surefoot.rules import History

# Operations that end a model and know nothing of probabilities.
RAW_OUTPUTS = frozenset({
    "Addmm", "Mm", "Bmm", "Baddbmm", "Convolution", "Relu", "LeakyRelu", "Gelu", "Elu", "Silu", "Tanh", "Hardtanh",
    "NativeBatchNorm", "NativeLayerNorm", "CudnnBatchNorm", "MiopenBatchNorm", "MkldnnLinear", "Embedding",
})  # fmt: skip


def losses(record: StepFacts | EndFacts) -> Iterator[tuple[BackwardFacts, LossFacts]]:
    """Every loss that was backwarded before a step, sums taken apart.

    Losses that reached only parameters of other optimizers are reported at their steps. The events after the last step
    only count in programs that update by hand and have no steps.
    """
    if isinstance(record, StepFacts):
        own = record.optimizer
        backwards = tuple(b for b in record.backwards if not b.reached or any(number == own for number, _ in b.reached))
    else:
        backwards = tuple(e for e in record.tail if isinstance(e, BackwardFacts)) if record.num_steps == 0 else ()
    for backward in backwards:
        if backward.loss is not None:
            for part in backward.loss.parts:
                yield backward, part


def earlier(past: History, like: LossFacts) -> Iterator[LossFacts]:
    """The same line's losses in earlier records, newest first."""
    for step in reversed(past.steps):
        for _, part in losses(step):
            if part.site is not None and like.site is not None and part.site.place == like.site.place:
                yield part
