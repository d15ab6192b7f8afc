"""The page's copy of the catalogue is that of the lab, and both read the formulas alike."""

import importlib.util
import inspect
import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch

from surefoot.lab.descent.catalogue import OPTIMIZERS
from surefoot.lab.descent.surface import SURFACES

TOOL = Path(__file__).parents[3] / "tools" / "lab_page.py"


def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("lab_page", TOOL)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pages_copy_is_up_to_date() -> None:
    made = tool()
    assert made.FILE.read_text(encoding="utf-8") == made.text(), "python tools/lab_page.py writes it"


@pytest.mark.parametrize("name", SURFACES)
def test_formulas_mean_the_same_in_python_and_javascript(name: str) -> None:
    """Numbers, the two weights, and operators that both rank alike; JavaScript refuses a sign before a power."""
    formula = SURFACES[name].formula
    assert re.fullmatch(r"(?:w0|w1|\d+|\*\*2|[-+*/() ])+", formula)
    assert not re.search(r"(?:^|[(*/+-])\s*-", formula)


@pytest.mark.parametrize("name", SURFACES)
def test_numbers_arrays_and_tensors_give_the_same(name: str) -> None:
    w0, w1 = np.meshgrid(np.linspace(-2, 2, 9), np.linspace(-1, 1, 5))
    array = SURFACES[name].loss(w0, w1)
    tensor = SURFACES[name].loss(torch.tensor(w0), torch.tensor(w1))
    number = [SURFACES[name].loss(float(a), float(b)) for a, b in zip(w0.flat, w1.flat, strict=True)]
    np.testing.assert_allclose(tensor.numpy(), array, rtol=1e-12)
    np.testing.assert_allclose(number, array.ravel(), rtol=1e-12)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_defaults_are_torchs(name: str) -> None:
    signature = inspect.signature(getattr(torch.optim, name)).parameters
    for field in OPTIMIZERS[name].fields:
        if field.name in ("beta1", "beta2"):
            assert field.default == signature["betas"].default[int(field.name[-1]) - 1]
        elif field.name == "line_search":
            assert signature["line_search_fn"].default is None and field.default is False
        elif (name, field.name) == ("LBFGS", "max_iter"):  # one step at torch's 20 is the whole way
            assert signature["max_iter"].default == 20
        else:
            assert field.default == signature[field.name].default, field.name
