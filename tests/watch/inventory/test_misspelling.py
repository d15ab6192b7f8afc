"""Attributes that look like `requires_grad`."""

from pathlib import Path

import pytest
import torch
from torch import nn

from surefoot.watch.inventory.misspelling import is_misspelled, misspellings


@pytest.mark.parametrize(
    "attribute",
    ["require_grad", "requires_grads", "required_grad", "requires_gard", "requiresgrad", "requires_gradient",
     "Requires_grad", "requires_grad_", "require_grads", "needs_grad"],
)  # fmt: skip
def test_near_misses(attribute: str) -> None:
    assert is_misspelled(attribute)


@pytest.mark.parametrize(
    "attribute",
    ["requires_grad", "require_backward_grad_sync", "retain_grad", "grad", "training", "_is_sharded", "required"],
)  # fmt: skip
def test_other_names(attribute: str) -> None:
    assert not is_misspelled(attribute)


SOURCE = """
for p in model.head.parameters():
    p.requires_grad = True
self.requires_grad = False
model.body.requires_grad = False
for q in model.body.parameters():
    q.require_grad = False
setattr(model, "requires_gard", False)
"""


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    file = tmp_path / "program.py"
    file.write_text(SOURCE)
    return [str(file)]


def test_on_parameters_the_line_is_found(files: list[str]) -> None:
    model = nn.Linear(2, 1)
    for p in model.parameters():
        p.require_grad = False
    (found,) = misspellings([model], model.named_parameters(), files)
    assert (found.attribute, found.owner, found.names, found.num) == (
        "require_grad",
        "parameter",
        ("weight", "bias"),
        2,
    )
    assert found.site is not None and found.site.line == 7


def test_on_modules_neither_loops_over_parameters_nor_self_are_meant(files: list[str]) -> None:
    model = nn.ModuleDict({"body": nn.Linear(2, 1), "head": nn.Linear(2, 1)})
    model["body"].requires_grad = False
    (found,) = misspellings([model], model.named_parameters(), files)
    assert (found.owner, found.names, found.value) == ("module", ("body",), False)
    assert found.site is not None and found.site.line == 5


def test_setattr_counts(files: list[str]) -> None:
    model = nn.Linear(2, 1)
    model.requires_gard = False
    (found,) = misspellings([model], model.named_parameters(), files)
    assert found.site is not None and found.site.line == 8


def test_a_setting_that_agrees_or_that_nobody_wrote_from_outside_is_fine(files: list[str]) -> None:
    model = nn.Linear(2, 1).requires_grad_(False)
    model.requires_grad = False
    model.weight.require_grad = False
    assert not misspellings([model], model.named_parameters(), files)
    model.requires_grad_(True)
    assert not [found for found in misspellings([model], model.named_parameters(), []) if found.owner == "module"]


def test_plain_tensors_of_an_optimizer_are_looked_at(files: list[str]) -> None:
    tensor = torch.zeros(2)
    tensor.require_grad = True
    (found,) = misspellings([], [("w", tensor)], files)
    assert found.names == ("w",) and found.value is True
