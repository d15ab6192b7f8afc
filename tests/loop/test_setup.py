"""Mistakes are told when the loop is made."""

from typing import Any

import pytest
import torch
from torch import nn

import surefoot as sf

pytestmark = pytest.mark.usefixtures("silent_sanitizer")


def parts() -> tuple[nn.Module, torch.optim.Optimizer]:
    model = nn.Linear(2, 1)
    return model, torch.optim.SGD(model.parameters(), lr=0.1)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"accumulate": 0}, "accumulate must be at least 1, got 0"),
        ({"accumulate": 2.5}, "accumulate must be at least 1, got 2.5"),
        ({"accumulate": True}, "accumulate must be at least 1"),
        ({"clip_norm": 0}, "clip_norm must be a number above 0"),
        ({"clip_value": "x"}, "clip_value must be a number above 0"),
        ({"precision": "fp8"}, 'precision must be "fp32", "bf16" or "fp16"'),
        ({"on_nonfinite": "ignore"}, "on_nonfinite must be"),
        ({"checkpoint_every": 10}, "checkpoint_every needs a folder"),
        ({"checkpoint": "x", "checkpoint_every": 0}, "must be at least 1, got 0"),
        (
            {"checkpoint": "nosuch://bucket/run"},
            "nosuch://bucket/run can't be opened: Protocol not known",
        ),
        ({"keep_best": ("val/loss", "min")}, "keep_best needs a folder"),
        ({"clip_spikes": 1}, "clip_spikes must be a number above 1, how many times the usual norm, got 1"),
        ({"ema": 1}, "ema must be a decay between 0 and 1, such as 0.999, got 1"),
        ({"ema": 1.5}, "ema must be a decay between 0 and 1"),
        ({"overfit": 0}, "overfit must be a number of at least 1, got 0"),
        ({"dry_run": True}, "dry_run must be a number of at least 1, got True"),
        ({"overfit": 1, "checkpoint": "x"}, "overfit= is a trial on a few batches, which is not saved"),
        ({"checkpoint_activations_of": ["block*"]}, "no module is called 'block"),
    ],
)
def test_a_setting_that_can_not_be_honoured(settings: dict[str, Any], says: str) -> None:
    model, optimizer = parts()
    with pytest.raises(ValueError, match=says):
        sf.Loop(model, optimizer, **settings)


def test_parts_of_the_wrong_kind() -> None:
    model, optimizer = parts()
    with pytest.raises(TypeError, match=r"must be a torch optimizer, a list of those .* or a dict of them"):
        sf.Loop(model, "adam")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="or a dict of them by name, got str for 'a'"):
        sf.Loop(model, {"a": "adam"})  # type: ignore[dict-item]
    with pytest.raises(TypeError, match="models must be torch modules"):
        sf.Loop({"a": 3}, optimizer)  # type: ignore[dict-item]
    with pytest.raises(ValueError, match="at least one model"):
        sf.Loop([], optimizer)
    with pytest.raises(TypeError, match="write a list"):
        sf.Loop(model, optimizer, checkpoint_activations_of="0")


def test_an_optimizer_of_another_model() -> None:
    model, _ = parts()
    _, optimizer = parts()
    with pytest.raises(ValueError, match="holds no parameter of the given model"):
        sf.Loop(model, optimizer)


def test_two_optimizers_of_the_same_parameters() -> None:
    model, optimizer = parts()
    other = torch.optim.SGD(model.parameters(), lr=0.1)
    with pytest.raises(ValueError, match="hold the same parameter, of shape"):
        sf.Loop(model, {"a": optimizer, "b": other})


def test_fused_where_there_is_such_a_thing() -> None:
    model, _ = parts()
    adam = torch.optim.AdamW(model.parameters(), lr=0.1)
    sf.Loop(model, adam, fused=True)
    assert adam.param_groups[0]["fused"] is True
    with pytest.raises(ValueError, match="Adamax has no fused form"):
        sf.Loop(model, torch.optim.Adamax(model.parameters()), fused=True)


def test_activations_are_computed_again_by_name() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 1))
    num_forwards = 0

    def count(*_: object) -> None:
        nonlocal num_forwards
        num_forwards += 1

    original = model[0].forward
    model[0].forward = lambda x: (count(), original(x))[1]  # type: ignore[method-assign]
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.1), checkpoint_activations_of=["0"])
    with loop.step() as step:
        step.backward(model(torch.randn(3, 2)).pow(2).mean())
    assert num_forwards == 2
    assert loop.num_updates == 1


def test_a_negative_weight() -> None:
    model, optimizer = parts()
    with pytest.raises(ValueError, match="number of items that the loss is a mean over, got -1"):
        sf.Loop(model, optimizer).step(weight=-1)


def test_a_loop_that_never_trained_has_nothing_to_say(capsys: pytest.CaptureFixture[str]) -> None:
    model = torch.nn.Linear(2, 1)
    with sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.1)):
        pass
    assert "findings" not in capsys.readouterr().err
