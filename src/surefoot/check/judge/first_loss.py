"""first-loss-is-what-chance-predicts: an untrained classifier guesses."""

from __future__ import annotations

import math

from surefoot.check.experiment import Result
from surefoot.check.judge.reasons import nothing_seen, number, sentence
from surefoot.check.verdict import Verdict, failed, not_tested, passed

NAME = "first-loss-is-what-chance-predicts"
NEAR = 2.0  # times the loss of guessing
FAR = 6.0  # raw features reach 3 to 5 times that, and train well
LEAST = 0.5


def judge(watched: Result, timeout: float) -> Verdict:
    why = nothing_seen(watched, timeout)
    if why is not None:
        return not_tested(NAME, sentence(why))
    first = next((one for one in watched.losses if "classes" in one), None)
    if first is None or first["classes"] < 2:
        return not_tested(NAME, "The first step computes no cross-entropy over classes by a function of torch.")
    if watched.loaded:
        return not_tested(NAME, f"Weights were loaded ({watched.loaded[0]}), so the model does not guess.")
    if first["counts_up"]:
        return not_tested(NAME, "Targets are 0, 1, 2, …, as in a contrastive loss, whose first loss is no guess.")
    guess, loss, classes = math.log(first["classes"]), first["loss"], first["classes"]
    evidence = {"first_loss": loss, "loss_of_guessing": guess, "classes": classes}
    course = f"The first loss is {number(loss)}; guessing among {classes} classes costs ln {classes} = {number(guess)}"
    if not math.isfinite(loss) or loss > FAR * guess:
        return failed(
            NAME, f"{course}. Initialise the last layer smaller, or scale the inputs to unit variance.", **evidence
        )
    if loss > NEAR * guess:
        return not_tested(NAME, f"{course}: more, but raw features and tied embeddings begin there, too.", **evidence)
    if loss < LEAST * min(guess, first["constant"] or guess):
        return not_tested(
            NAME, f"{course}: less, so the weights are not fresh or the model sees its targets.", **evidence
        )
    return passed(NAME, f"{course}.", **evidence)
