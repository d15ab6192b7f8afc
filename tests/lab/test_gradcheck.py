"""Custom gradients: the wrong input is named, and what is on purpose is left alone."""

import json
from pathlib import Path

import pytest
import torch

from surefoot.cli.main import main
from surefoot.lab.gradcheck.argument import arguments_for, parse_inputs

OPS = """
import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x**2


class Scaled(Function):
    '''x * weight; the gradient of the weight is wrong.'''

    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x * weight

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        return grad * weight, 2 * grad * x


class CutOff(Function):
    '''Right, and not to be differentiated twice: nothing says so.'''

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return (grad * 2 * x).detach()


class Once(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 2 * x


class Sign(Function):
    @staticmethod
    def forward(ctx, x):
        return x.sign()

    @staticmethod
    def backward(ctx, grad):
        return grad


class Product(Function):
    @staticmethod
    def forward(a, b, factor=2.0):
        return factor * (a @ b)

    @staticmethod
    def setup_context(ctx, inputs, output):
        a, b, ctx.factor = inputs
        ctx.save_for_backward(a, b)

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return ctx.factor * grad @ b.T, ctx.factor * a.T @ grad, None


def smooth(x, power):
    return Cube.apply(x) ** power


def noisy(x):
    import random
    return x * random.random() + float(next(counter))


counter = iter(range(1000))
"""


@pytest.fixture
def ops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    name = f"ops_{abs(hash(request.node.name))}"
    (tmp_path / f"{name}.py").write_text(OPS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return name


def test_a_module(ops: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gradcheck", ops, "--format", "json"]) == 1
    found = {one["function"]: one for one in json.loads(capsys.readouterr().out)}
    assert {name: one["verdict"] for name, one in found.items()} == {
        "Cube": "right", "Scaled": "wrong", "CutOff": "wrong", "Once": "right", "Sign": "unchecked",
        "Product": "unchecked",
    }  # fmt: skip
    wrong = [one for one in found["Scaled"]["inputs"] if one["num_wrong"]]
    assert [(one["name"], one["order"], one["num_wrong"], one["num_compared"]) for one in wrong] == [
        ("weight", 1, 12, 12)
    ]
    assert wrong[0]["analytic"] == pytest.approx(2 * wrong[0]["numeric"], rel=1e-4)
    assert [(one["order"], one["num_wrong"]) for one in found["CutOff"]["inputs"]] == [(1, 0), (2, 12)]
    assert "once_differentiable" in found["Once"]["notes"][0]
    assert "straight-through" in found["Sign"]["notes"][0]
    assert "guessed" in found["Product"]["notes"][-1]


def test_named_functions_with_given_inputs(ops: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gradcheck", f"{ops}:Product", "--inputs", "2x3,3x2"]) == 0
    said = capsys.readouterr().out
    assert "a, first order: right in 6 elements" in said and "b, second order: right in 6 elements" in said
    assert main(["gradcheck", f"{ops}.py:smooth", "--inputs", "3,=2"]) == 0
    assert main(["gradcheck", f"{ops}:Scaled"]) == 1
    assert "weight, first order: wrong in 12 of 12 elements; at worst" in capsys.readouterr().out
    assert main(["gradcheck", f"{ops}:noisy", "--inputs", "3"]) == 2
    assert "two calls with the same numbers differ" in capsys.readouterr().out


def test_inputs_beside_it(ops: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    more = "\n\ndef inputs():\n    return {'Product': (torch.ones(2, 3), torch.ones(3, 1), 3.0)}\n"
    (tmp_path / f"{ops}.py").write_text(OPS + more, encoding="utf-8")
    assert main(["gradcheck", f"{ops}:Product"]) == 0
    assert "b, first order: right in 3 elements" in capsys.readouterr().out
    assert main(["gradcheck", f"{ops}:Cube"]) == 2
    assert "tells nothing for Cube" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["surefoot.version"], "defines no torch.autograd.Function"),
        (["nosuchmodule"], "there is no module"),
        (["surefoot.version:__version__"], "not a function"),
        (["math:sqrt", "--inputs", "3y4"], "inputs are shapes"),
        (["math:sqrt", "--inputs", "=a b"], "a Python value"),
    ],
)
def test_wrong_usage(args: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gradcheck", *args]) == 2
    assert says in capsys.readouterr().err


def test_random_numbers_stay() -> None:
    before = torch.get_rng_state()
    shapes = parse_inputs("3x4, (), =True")
    assert [getattr(arg, "shape", arg) for arg in shapes] == [(3, 4), (), True]
    assert torch.equal(before, torch.get_rng_state())
    with pytest.raises(ValueError, match="can't be guessed"):
        arguments_for(lambda *args: args, None, None)
