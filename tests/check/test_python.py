"""`sf.check`, from Python."""

import surefoot as sf


def make_loop() -> None:
    raise AssertionError("nothing is run for what can't be tested")


def test_without_parameters_accumulation_is_not_tested_and_it_says_what_to_do() -> None:
    checked = sf.check(make_loop, only=["accumulation-is-equivalent"])
    verdict = checked["accumulation-is-equivalent"]
    assert checked.ok and verdict.verdict == "not-tested"
    assert "Let make_loop take accumulate and batch_size" in verdict.why
    assert "0 passed, 0 failed, 1 not tested" in str(checked)
