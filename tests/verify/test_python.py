"""`sf.verify`, from Python. What it runs are the commands of `surefoot verify`."""

import pytest

import surefoot as sf
from surefoot.verify.python import Verified
from tests.verify.runs import run, step
from tests.verify.test_judging import judged


def make() -> None: ...


def test_what_can_not_be_found_by_another_process_is_refused() -> None:
    with pytest.raises(TypeError, match=r"make_b must be a function at the top of a module or script, got .*lambda"):
        sf.verify(make, lambda: None)
    with pytest.raises(TypeError, match=r"make_a must be a function .* got int"):
        sf.verify(3, make)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least 1, got 0 and 1"):
        sf.verify(make, make, steps=0)


def test_the_answer_is_the_verdict() -> None:
    found = Verified(judged(run(step(rates=[0.2]))))
    assert not found.ok
    assert found.likely == "Gradients agree, the learning rate does not: it is 2 times the reference's."
    assert found.as_dict()["verdict"] == "differ"
    assert "The runs differ first at step 1: rate of all parameters. It is 0.1 in the reference" in str(found)
