"""How the targets of a loss lie on the token ids that the model was given."""

from surefoot.facts.frozen import frozen
from surefoot.facts.site import Site


@frozen
class ReadFacts:
    """One prediction, and which positions of a lookup's ids it depends on, read off the graph."""

    lookup: int  # among the embedding lookups behind the loss
    row: int  # the position at which the prediction is made
    target: int  # the position of the token that it must predict
    earliest: int  # the first position that it depends on
    latest: int  # the last one
    length: int  # of the sequence
    is_per_position: bool = True  # position by position, and not through one code of the whole sequence


@frozen
class SequenceFacts:
    """The targets of one loss against the ids of embedding lookups behind it, over the batches looked at."""

    site: Site | None = None  # the call that computed the loss
    kind: str = ""
    num_batches: int = 0  # times that the targets were tokens of a lookup's ids
    offsets: tuple[tuple[int, int], ...] = ()  # by how much targets are ahead of their row, and in how many batches
    reads: tuple[ReadFacts, ...] = ()
    padding_idx: int | None = None  # of the embedding whose ids are padded
    padding_target: int | None = None  # the target of padded positions
    ignore_index: int = -100
    num_padded: int = 0  # batches whose padding counts in the loss
    num_padding: int = 0  # targets of padded positions that counted in these
    num_counted: int = 0  # all that counted in these
    is_padding_a_class: bool = False  # other positions have the target of padded ones, too
    is_padding_named: bool = True  # by `padding_idx`; else it fills up the rows of every batch and stands nowhere else
    mask_token: int | None = None  # stands where targets are asked for, and all others have the padding index


@frozen
class MaskFacts:
    """Attention behind one loss that leaves out the tokens of padded sequences and attends to their padding."""

    site: Site | None  # the call that computed the loss
    padding_idx: int = 0
    num_tokens: int = 0  # of padded sequences, that no query attends to, in the last batch
    num_padding: int = 0  # positions that queries attend to
    num_batches: int = 0  # in which it was so
    given: Site | None = None  # the only line of the program that gives attention a mask


@frozen
class PaddingRowFacts:
    """The row of an embedding's `padding_idx`, which was zero when it was made, is not, and the loss depends on it."""

    site: Site | None  # the call that overwrote it
    loss: Site | None = None  # the call that computed the loss
    name: str = ""  # of the embedding's weight
    padding_idx: int = 0
    norm: float = 0.0
    function: str = ""  # of `nn.init`; empty: a function given to `apply`
