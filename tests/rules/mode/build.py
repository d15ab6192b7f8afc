"""Hand-written facts for the rules of this family."""

from dataclasses import replace
from typing import Any

from surefoot.facts import (
    BackwardFacts,
    EndFacts,
    EvalModeFacts,
    EvaluationFacts,
    GradientFacts,
    ModeFacts,
    Record,
    Site,
    StepFacts,
)
from surefoot.rules import Evidence, History, Rule

BACKWARD, STEP, FORWARD, EVAL, DROPOUT = (Site("train.py", line) for line in (11, 12, 20, 30, 40))


def step(mode: ModeFacts | None = None, *evaluations: EvaluationFacts, num_backwards: int = 1) -> StepFacts:
    ordinals = tuple(range(1, num_backwards + 1))
    return StepFacts(
        at=100,
        index=10,
        optimizer=1,
        update=10,
        site=STEP,
        events=tuple(BackwardFacts(n, ordinal=n, site=BACKWARD) for n in ordinals),
        gradients=(GradientFacts(("weight",), 1, sources=ordinals),),
        mode=mode,
        evaluations=evaluations,
    )


def end(*evaluations: EvaluationFacts, reason: str = "finished") -> EndFacts:
    return EndFacts(at=200, num_steps=10, reason=reason, evaluations=evaluations)


def in_eval(**fields: Any) -> ModeFacts:
    facts = EvalModeFacts(models=("Net",), site=EVAL, num_dropout=2, num_batchnorm=1, num_steps_in_train=5)
    return ModeFacts(in_eval=replace(facts, **fields))


def evaluation(**fields: Any) -> EvaluationFacts:
    return EvaluationFacts(model="Net", site=FORWARD, num_batchnorm=1, **fields)


def ask(rule: Rule, record: Record) -> list[Evidence]:
    return list(rule.check(record, History()))
