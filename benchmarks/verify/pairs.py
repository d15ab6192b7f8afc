"""The pairs: what the second run is, what is wrong with it, and what `surefoot verify` must name."""

from dataclasses import dataclass
from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"


@dataclass(frozen=True)
class Pair:
    """`old` is replaced by `new` in the second run. `quantity` and `name` must be told; both empty: the runs agree."""

    name: str
    program: str
    args: tuple[str, ...] = ()
    preset: str = ""
    old: str = ""
    new: str = ""
    quantity: str = ""
    tensor: str = ""
    says: str = ""  # a part of the explanation

    @property
    def is_defect(self) -> bool:
        return bool(self.old)

    def code(self) -> str:
        text = (PROGRAMS / f"{self.program}.py").read_text(encoding="utf-8")
        assert not self.old or text.count(self.old) == 1, f"{self.program} has no {self.old!r}, or more than one"
        return text.replace(self.old, self.new) if self.old else text


TWO, FOUR = ("--ranks", "2"), ("--ranks", "4")
REDUCE = "                dist.all_reduce(param.grad)\n                param.grad /= world\n"
CLIP = "        nn.utils.clip_grad_norm_(model.parameters(), 0.5)\n"
WHOLE = f"        if world > 1:\n            for name, param in model.named_parameters():\n{REDUCE}"
UNCLIPPED = "gradient before clipping"
SHARD_NORM = """\
    local = [param.to_local() for param in model.parameters()]
    for one, param in zip(local, model.parameters(), strict=True):
        one.grad = param.grad.to_local()
    nn.utils.clip_grad_norm_(local, 0.1)
"""

DEFECTS = [
    Pair("gradients summed, not averaged", "classifier", TWO, "", "                param.grad /= world\n", "", UNCLIPPED, "0.0.weight", "2 times the reference's, the number of ranks"),
    Pair("gradients averaged twice", "classifier", FOUR, "", "param.grad /= world", "param.grad /= world**2", UNCLIPPED, "0.0.weight", "1/4 of the reference's, with 4 ranks"),
    Pair("gradients not reduced", "classifier", TWO, "", "if world > 1:\n            for", "if world > 9:\n            for", UNCLIPPED, "0.0.weight", "their mean is the reference's: not reduced"),
    Pair("one parameter left out of the reduction", "classifier", TWO, "", REDUCE, "                if name != '3.bias':\n                    dist.all_reduce(param.grad)\n                    param.grad /= world\n", UNCLIPPED, "3.bias", "1 of 8 parameters"),
    Pair("clipped before the reduction", "classifier", TWO, "", WHOLE + CLIP, CLIP + WHOLE, UNCLIPPED, "0.0.weight", "Ranks have different gradients when clipping begins"),
    Pair("norm of each rank's shard", "sharded", TWO, "", "    nn.utils.clip_grad_norm_(model.parameters(), 0.1)\n", SHARD_NORM, "norm before clipping", "all parameters", "each is the norm of a shard"),
    Pair("embedding not synchronised", "language_model", TWO, "", "        net = nn.parallel.DistributedDataParallel(model)", "        nn.parallel.DistributedDataParallel._set_params_and_buffers_to_ignore_for_model(model, ['embed.weight', 'head.weight'])\n        net = nn.parallel.DistributedDataParallel(model)", UNCLIPPED, "embed.weight", "not reduced"),
    Pair("dropout seeds alike", "classifier", TWO, "", "torch.manual_seed(100 + rank)", "torch.manual_seed(100)", "dropout", "0.3", "Seed the ranks differently"),
    Pair("stale weights on one rank after a resume", "classifier", TWO, "", "    model.load_state_dict(start)", "    if rank == 0:\n        model.load_state_dict(start)", "weights before", "0.0.weight", "Ranks start from different weights"),
    Pair("batch norm of each rank's own batch", "images", TWO, "", "all_reduce(value) / options.ranks if options.ranks > 1 else value", "value", "activation", "1", "computes with a part of the batch"),
    Pair("each rank shuffles for itself", "classifier", TWO, "", "    body = ", "    order = torch.randperm(256, generator=torch.Generator().manual_seed(rank))\n    body = ", "inputs", "the model's inputs", "same samples"),
    Pair("accumulated losses not divided", "classifier", ("--accumulate", "4"), "", " / options.accumulate\n            loss", "\n            loss", UNCLIPPED, "0.0.weight", "4 times the reference's, the number of micro-batches"),
    Pair("tied weights broken", "language_model", TWO, "", "    if world > 1:\n        dist", "    if world > 1:\n        model.head.weight = nn.Parameter(model.head.weight.detach().clone())\n        dist", "weights before", "head.weight", "do not train the same parameters"),
    Pair("rate scaled by the ranks twice", "classifier", TWO, "", "rate = 1e-3 *", "rate = 1e-3 * world**2 *", "rate", "all parameters", "multiplied by the number of ranks twice"),
    Pair("weight decay on ranks only", "language_model", TWO, "", "weight_decay=0.1", "weight_decay=0.1 if world == 1 else 0.01", "update", "position", "the optimizer's state or its options differ"),
    Pair("ranks start from their own seeds", "classifier", TWO, "", "    body = ", "    torch.manual_seed(rank)\n    body = ", "weights before", "0.0.weight", ""),
]  # fmt: skip

AGREEING = [
    Pair("reduced by hand, 2 ranks", "classifier", TWO),
    Pair("reduced by hand, 4 ranks", "classifier", FOUR),
    Pair("4 micro-batches", "classifier", ("--accumulate", "4")),
    Pair("2 ranks, 2 micro-batches each", "classifier", (*TWO, "--accumulate", "2")),
    Pair("fused AdamW", "classifier", (), "fused"),
    Pair("bf16 autocast", "classifier", (), "bf16"),
    Pair("bf16 autocast on 2 ranks", "classifier", TWO, "bf16"),
    Pair("DDP, 2 ranks", "language_model", TWO),
    Pair("DDP, 4 ranks", "language_model", FOUR),
    Pair("transformer, 2 micro-batches", "language_model", ("--accumulate", "2")),
    Pair("transformer, bf16 autocast", "language_model", (), "bf16"),
    Pair("batch norm over ranks", "images", TWO),
    Pair("convolutions, bf16 autocast", "images", (), "bf16"),
    Pair("momentum SGD, fused", "images", (), "fused"),
    Pair("fully_shard, 2 ranks", "sharded", TWO),
]
