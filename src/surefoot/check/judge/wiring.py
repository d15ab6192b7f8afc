"""samples-are-independent, the-future-is-hidden and modes-matter: from a close look at one step."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from surefoot.check.experiment import Result
from surefoot.check.judge.reasons import findings, nothing_seen, number, sentence, told
from surefoot.check.verdict import Verdict, failed, not_tested, passed

LEAST = 1e-3  # change of an answer, beside the spread of all answers
FEWEST_READS = 2
SAMPLES, FUTURE, MODES = "samples-are-independent", "the-future-is-hidden", "modes-matter"
MODE_RULES = ("training-in-eval-mode", "dropout-lost", "dropout-active-in-eval", "evaluating-in-train-mode")


def samples(watched: Result, timeout: float) -> Verdict:
    found = findings(watched, ("samples-mixed-in-batch", "softmax-over-batch"))
    if found:
        return failed(SAMPLES, told(found), rule=found[0]["rule"], where=found[0]["where"])
    measured = watched.measured.get("samples", {})
    why = _why_not(watched, measured, timeout)
    if why is not None:
        return not_tested(SAMPLES, why)
    if not watched.uses_loader and watched.measured.get("num_inputs", 0) < 2:
        return not_tested(SAMPLES, "Every step gets the same inputs, whose rows need not be samples.")
    evidence = {key: value for key, value in measured.items() if key != "why"}
    row, num = measured["replaced"], measured["num_samples"]
    if measured["change"] > LEAST:
        return failed(
            SAMPLES, f"In eval mode, with sample {row} of {num} replaced, {measured['module']} answers otherwise to "
            f"{measured['num_changed']} other samples, by up to {number(measured['change'])} standard deviations of "
            "all answers. Look for a view, a reshape, or a layer that takes the batch for another dimension.",
            **evidence,
        )  # fmt: skip
    if measured["own_change"] <= LEAST:
        return not_tested(SAMPLES, f"Sample {row} was replaced, and not even its own prediction changed.", **evidence)
    return passed(SAMPLES, f"With sample {row} of {num} replaced, no other prediction changes.", **evidence)


def future(watched: Result, timeout: float) -> Verdict:
    found = findings(watched, ("missing-causal-mask",))
    if found:
        return failed(FUTURE, told(found), rule=found[0]["rule"], where=found[0]["where"])
    measured = watched.measured.get("future", {})
    why = _why_not(watched, measured, timeout)
    is_read = len(watched.reads) >= FEWEST_READS
    if why is not None and is_read and all(read["latest"] < read["target"] for read in watched.reads):
        return passed(FUTURE, "By the graph, no prediction depends on its token or a later one.", reads=watched.reads)
    if why is not None:
        return not_tested(FUTURE, why)
    at, length = measured["replaced_from"], measured["length"]
    if measured["change"] > LEAST:
        return failed(
            FUTURE, f"With the tokens from position {at} of {length} on replaced, {measured['module']} answers "
            f"otherwise at positions {_shown(measured['positions'])}, by up to {number(measured['change'])} "
            "standard deviations: it sees what it must predict.", **measured,
        )  # fmt: skip
    if measured["later_change"] <= LEAST:
        return not_tested(FUTURE, "Tokens were replaced, and no prediction changed at all.", **measured)
    return passed(
        FUTURE, f"With the tokens from position {at} of {length} on replaced, no earlier answer changes.", **measured
    )


def modes(watched: Result, timeout: float) -> Verdict:
    found = findings(watched, MODE_RULES)
    if found:
        return failed(MODES, told(found), rule=found[0]["rule"], where=found[0]["where"])
    measured = watched.measured.get("modes", {})
    why = _why_not(watched, measured, timeout)
    if why is not None or not measured["num_calls"]:
        return not_tested(MODES, why or "No call of a model was seen.")
    layers = _shown(measured["layers"])
    evidence: dict[str, Any] = {"layers": measured["layers"], "differs": measured["differs"]}
    if measured["left_on"]:
        file, _, line = measured["left_on"][0].rpartition(":")
        where = f"{PurePath(file).name}:{line}"
        return failed(
            MODES, f"Dropout stays on in eval mode at {where}. Pass training=self.training, or use nn.Dropout.",
            **evidence, where=where,
        )  # fmt: skip
    if measured["layers"] and not measured["differs"]:
        return not_tested(
            MODES, f"The model has {layers}, and its answers in train and eval mode are equal.", **evidence
        )
    if measured["differs"] and not measured["layers"]:
        return not_tested(
            MODES, "The model has no dropout or batch-norm, and its answers in train and eval mode differ: its own "
            "code asks for the mode, or draws random numbers, which may be meant.", **evidence
        )  # fmt: skip
    if measured["layers"]:
        return passed(MODES, f"Answers in train and eval mode differ, as {layers} says.", **evidence)
    return passed(MODES, "No layer depends on the mode, and the answers in both are equal.", **evidence)


def _why_not(watched: Result, measured: dict[str, Any], timeout: float) -> str | None:
    why = nothing_seen(watched, timeout) or measured.get("why")
    if why is None and not measured:
        why = "the program ended before the step that is looked at closely"
    return None if why is None else sentence(why)


def _shown(names: list[Any]) -> str:
    return ", ".join(map(str, names))
