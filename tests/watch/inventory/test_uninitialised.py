"""Parameters that a loss uses before anything was written to them."""

import textwrap
from pathlib import Path

import pytest

from surefoot.facts import SetupFacts, UninitialisedFacts
from surefoot.watch.inventory.uninitialised import maker_at
from tests.rules.twins import watch_program

CODE = """
import torch
from torch import nn

junk = [torch.rand(40, 40) for _ in range(20)]
del junk

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {register}
        {then}

    def forward(self, x):
        return (x + torch.nan_to_num(self.w).tanh().sum(0)).square().mean()

model = Net()
{after}
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(2):
    optimizer.zero_grad()
    model(torch.randn(8, 40)).backward()
    optimizer.step()
"""


def found(folder: Path, register: str, then: str = "pass", after: str = "") -> tuple[UninitialisedFacts, ...]:
    _, records = watch_program(CODE.format(register=register, then=then, after=after), folder / "program.py")
    return [record for record in records if isinstance(record, SetupFacts)][-1].uninitialised


@pytest.mark.parametrize(
    ("made_by", "register"),
    [
        ("empty", "self.w = nn.Parameter(torch.empty(40, 40))"),
        ("Tensor", "self.w = nn.Parameter(torch.Tensor(40, 40))"),
        ("empty", "self.register_parameter('w', nn.Parameter(data=torch.empty((40, 40)), requires_grad=True))"),
    ],
)
def test_never_written(made_by: str, register: str, tmp_path: Path) -> None:
    (one,) = found(tmp_path, register)
    assert one.name.endswith("w") and (one.shape, one.made_by) == ((40, 40), made_by)
    assert one.site is not None and CODE.splitlines()[one.site.line - 1].strip() == "{register}"


@pytest.mark.parametrize(
    "how",
    [
        {"then": "nn.init.zeros_(self.w)"},
        {"then": "nn.init.xavier_uniform_(self.w.data)"},
        {"then": "self.w.data.zero_()"},
        {"then": "self.w.data = torch.zeros(40, 40)"},
        {"after": "model.load_state_dict({'w': torch.randn(40, 40)})"},
        {"after": "with torch.no_grad(): model.w.copy_(torch.zeros(40, 40))"},
    ],
)
def test_written_later(how: dict[str, str], tmp_path: Path) -> None:
    assert found(tmp_path, "self.w = nn.Parameter(torch.empty(40, 40))", **how) == ()


@pytest.mark.parametrize(
    "register",
    [
        "self.w = nn.Parameter(torch.zeros(40, 40))",
        "self.w = nn.Parameter(torch.empty(40, 40).normal_())",
        "self.w = nn.Parameter(torch.Tensor([[1.0] * 40]))",
        "self.w, self.v = nn.Parameter(torch.ones(40, 40)), nn.Parameter(torch.empty(40))",
    ],
)
def test_written_at_once(register: str, tmp_path: Path) -> None:
    assert found(tmp_path, register) == ()


def test_the_maker_is_read_off_the_line(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    text = """
    self.a = nn.Parameter(torch.empty(3)); self.b = nn.Parameter(torch.ones(3))
    self.c = nn.Parameter(
        torch.Tensor(3, size),
    )
    self.d = nn.Parameter(torch.Tensor(values))
    self.e = nn.Parameter(torch.Tensor(3))
    self.f = nn.Parameter(values)
    """
    file.write_text(textwrap.dedent(text).lstrip(), encoding="utf-8")
    assert [maker_at(str(file), line) for line in range(1, 8)] == ["", "Tensor", "Tensor", "Tensor", "", "Tensor", ""]
