"""Custom autograd functions against finite differences."""

import textwrap
from pathlib import Path

import pytest
import torch

from surefoot.facts import GradcheckFacts
from surefoot.rules.catalogue import catalogue
from surefoot.sanitizer import Sanitizer
from tests.watch.graph.program import START, steps_of, watch

USE = """
for _ in range(4):
    x = torch.randn({rows}, 4)
    optimizer.zero_grad()
    loss = F.mse_loss({use}, x.sum(1, keepdim=True))
    loss.backward()
    optimizer.step()
"""


def function(name: str, forward: str, backward: str, doc: str = "") -> str:
    text = f'class {name}(torch.autograd.Function):\n    """{doc}"""\n'
    for head, body in (("forward(ctx, *args)", forward), ("backward(ctx, grad)", backward)):
        text += f"    @staticmethod\n    def {head}:\n{textwrap.indent(textwrap.dedent(body).strip(), ' ' * 8)}\n"
    return text


def check(program: str, folder: Path, use: str = "My.apply(model(x))", rows: int = 8) -> GradcheckFacts:
    _, records, _ = watch(program + USE.format(use=use, rows=rows), folder)
    (checked,) = (checked for step in steps_of(records) for checked in step.gradchecks)
    return checked


SAVE = "ctx.save_for_backward(*args)\nx = args[0]\nreturn {}"
LOAD = "x, = ctx.saved_tensors\nreturn {}"

WRONG = {
    "lost factor": (SAVE.format("x ** 2"), LOAD.format("grad * x")),
    "sign": (SAVE.format("x.sin()"), LOAD.format("-grad * x.cos()")),
    "no mask": (SAVE.format("x.clamp(min=0)"), LOAD.format("grad.clone()")),
    "gradient ignored": (SAVE.format("x.exp()"), LOAD.format("x.exp()")),
    "only single precision": (SAVE.format("x.float().exp()"), LOAD.format("2 * grad * x.exp()")),
}


@pytest.mark.parametrize(("forward", "backward"), WRONG.values(), ids=WRONG)
def test_finds_wrong_ones(forward: str, backward: str, tmp_path: Path) -> None:
    checked = check(function("My", forward, backward), tmp_path)
    assert checked.verdict == "wrong"
    assert checked.site is not None
    assert (START + function("My", forward, backward)).splitlines()[checked.site.line - 1].lstrip().startswith("return")


RIGHT = {
    "smooth": (SAVE.format("x.exp()"), LOAD.format("grad * x.exp()")),
    "mask": (SAVE.format("x.clamp(min=0)"), LOAD.format("grad * (x > 0)")),
    "single precision inside": (SAVE.format("x.float().exp().to(x.dtype)"), LOAD.format("grad * x.exp()")),
    "random mask": (
        "mask = (torch.rand_like(args[0]) > 0.5)\nctx.save_for_backward(mask)\nreturn args[0] * mask * 2",
        "mask, = ctx.saved_tensors\nreturn grad * mask * 2",
    ),
    "written in place": (
        "x = args[0]\nx.mul_(3)\nctx.mark_dirty(x)\nreturn x",
        "return grad * 3",
    ),
}


@pytest.mark.parametrize(("forward", "backward"), RIGHT.values(), ids=RIGHT)
def test_leaves_right_ones_alone(forward: str, backward: str, tmp_path: Path) -> None:
    assert check(function("My", forward, backward), tmp_path, use="My.apply(model(x).clone())").verdict == "right"


UNCHECKED = {
    "straight through": (SAVE.format("x.round()"), "return grad", "flat"),
    "surrogate spike": (SAVE.format("(x > 0).to(x.dtype)"), LOAD.format("grad / (1 + x.abs()) ** 2"), "flat"),
    "reversal": ("return args[0].view_as(args[0])", "return -grad", "changes nothing"),
    "by name": (SAVE.format("x.clamp(-0.1, 0.1) * 2"), "return grad * 2", "by its name"),
    "not repeatable": (
        "My.calls = getattr(My, 'calls', 0) + 1\nreturn args[0] * My.calls",
        "return grad",
        "differ",
    ),
    "not again": (
        "if args[0].dtype != torch.float32 or hasattr(My, 'calls'):\n    raise TypeError('once only')\n"
        "My.calls = 1\nreturn args[0] * 2\n",
        "return grad",
        "once only",
    ),
}


@pytest.mark.parametrize("name", UNCHECKED)
def test_says_what_it_can_not_check(name: str, tmp_path: Path) -> None:
    forward, backward, why = UNCHECKED[name]
    doc = "A clamp with a straight-through gradient." if name == "by name" else ""
    program = function("My", forward, backward, doc)
    if name == "not again":
        program += "def once(x):\n    return My.apply(x) if not hasattr(My, 'calls') else x * 2\n"
    use = "once(model(x))" if name == "not again" else "My.apply(model(x))"
    checked = check(program, tmp_path, use=use)
    assert checked.verdict == "unchecked"
    assert why in checked.why


def test_names_the_wrong_input(tmp_path: Path) -> None:
    forward = "a, b, power = args\nctx.save_for_backward(a, b)\nreturn a * b ** power"
    backward = "a, b = ctx.saved_tensors\nreturn grad * b ** 2, grad * a * b, None"
    checked = check(function("My", forward, backward), tmp_path, use="My.apply(model(x), model[2](model[:2](x)), 2)")
    assert (checked.verdict, checked.wrong_input) == ("wrong", 1)


@pytest.mark.parametrize("factor", [1, 2])
def test_big_batches_and_weights(factor: int, tmp_path: Path) -> None:
    forward = "x, w = args\nctx.save_for_backward(x, w)\nreturn x @ w.t()"
    backward = f"x, w = ctx.saved_tensors\nreturn grad @ w, {factor} * grad.t() @ x"
    program = function("My", forward, backward) + "weight = nn.Parameter(torch.randn(1, 8))\n"
    program += "optimizer.add_param_group({'params': [weight]})\n"
    checked = check(program, tmp_path, use="My.apply(model[:2](x), weight)", rows=1200)
    assert checked.verdict == ("right" if factor == 1 else "wrong")


def test_draws_no_random_numbers(tmp_path: Path) -> None:
    program = "import random\nimport numpy as np\nrandom.seed(1)\nnp.random.seed(1)\n"
    program += function("My", RIGHT["random mask"][0], RIGHT["random mask"][1])
    ends = "\nprint(repr((float(torch.rand(())), random.random(), np.random.rand(), model[0].weight.sum().item())))\n"
    code = START + program + USE.format(use="My.apply(model(x))", rows=8) + ends
    texts = []
    for watched in (True, False):
        space = {"__name__": "__main__", "print": texts.append}
        if watched:
            (tmp_path / "p.py").write_text(code)
            sanitizer = Sanitizer(catalogue().values(), user_code=(str(tmp_path),))
            object.__setattr__(sanitizer.recorder.settings, "gradcheck", True)
            sanitizer.start()
            exec(compile(code, str(tmp_path / "p.py"), "exec"), space)
            sanitizer.finish()
        else:
            exec(code, space)
    assert texts[0] == texts[1]


def test_off_unless_asked_for(tmp_path: Path) -> None:
    sanitizer = Sanitizer(catalogue().values())
    sanitizer.start()
    try:
        assert sanitizer.report("x").not_checked["wrong-custom-backward"].endswith("--gradcheck was not given")
        assert vars(torch.autograd.Function)["apply"].__func__.__module__ == "torch.autograd.function"
    finally:
        sanitizer.finish()
