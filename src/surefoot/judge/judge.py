"""Ask every rule about every record; tell each rule once per line, with a count."""

import re
from collections.abc import Callable, Iterable

from surefoot.facts import EndFacts, Record, SignalFacts, StepFacts, ValidationFacts
from surefoot.judge.finding import Finding, Place
from surefoot.judge.suppression import is_suppressed
from surefoot.rules import LEVELS, Evidence, History, Level, Rule

KEPT_STEPS = 4096  # in which something was found, and that others may look like
_WHY = re.compile(r"^## Why it matters\n(?P<text>.+?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)


class Judge:
    """Judges the records of one run, in order. Pure but for the source lines it reads for suppressions."""

    def __init__(
        self,
        rules: Iterable[Rule],
        on_failure: Callable[[str, Exception], None],
        is_the_programs: Callable[[Exception], bool] = lambda error: False,
    ) -> None:
        self._is_the_programs = is_the_programs  # an exception that a signal handler raised while a rule was asked
        self._rules = list(rules)
        self._asked: dict[type[Record], list[Rule]] = {}  # the rules for a kind of record
        self._on_failure = on_failure
        self.history = History()
        self.not_checked: dict[str, str] = {}  # rules that are not asked any more, and why
        self._findings: dict[Place, Finding | None] = {}
        self._fired: dict[int, set[Place]] = {}  # by the index of the step
        self._optimizers: dict[Place, set[int]] = {}  # for whose steps something was found

    @property
    def findings(self) -> list[Finding]:
        return [finding for finding in self._findings.values() if finding is not None]

    def judge(self, record: Record) -> list[Finding]:
        """The findings that are new with this record."""
        new: list[Finding] = []
        fired: set[Place] = set()
        for rule in self._rules_for(type(record)):
            if rule.name in self.not_checked:
                continue
            for evidence in self._ask(rule, record):
                key = _key(rule, evidence)
                if key not in self._findings or self._is_graver(rule, evidence, self._findings[key]):
                    finding = self._findings[key] = self._found(rule, evidence, record)
                    new += [finding] if finding is not None else []
                elif key not in fired:
                    self._count(key)
                fired.add(key)
                if isinstance(record, StepFacts | SignalFacts):
                    self._optimizers.setdefault(key, set()).add(record.optimizer)
        if isinstance(record, StepFacts | EndFacts):
            self._count_unrecorded(record)
        if isinstance(record, StepFacts) and fired:
            self._fired[record.index] = fired
            if len(self._fired) > KEPT_STEPS:
                del self._fired[next(iter(self._fired))]
        self.history.add(record)
        if new:
            self._explain()
        return new

    def _rules_for(self, kind: type[Record]) -> list[Rule]:
        rules = self._asked.get(kind)
        if rules is None:
            rules = self._asked[kind] = [rule for rule in self._rules if issubclass(kind, rule.on)]
        return rules

    def _explain(self) -> None:
        """Tell findings that follow from another one, of the same optimizer."""
        found = {finding.place: finding for finding in self.findings if finding.severity != "note"}
        for rule in self._rules:
            causes = [cause for cause in found if cause[0] in rule.follows]
            for place in [place for place in found if place[0] == rule.name]:
                mine = self._optimizers.get(place, set())
                found[place].follows = next((c for c in causes if mine & self._optimizers.get(c, set())), None)

    def _ask(self, rule: Rule, record: Record) -> list[Evidence]:
        try:
            return list(rule.check(record, self.history))
        except Exception as error:
            if self._is_the_programs(error):
                raise
            self.not_checked[rule.name] = f"it failed with {type(error).__name__}: {error}"
            self._on_failure(rule.name, error)
            return []

    def _is_graver(self, rule: Rule, evidence: Evidence, known: Finding | None) -> bool:
        """Whether this outweighs what is known of the same line: a note must not hide it."""
        return known is not None and LEVELS.index(_level(rule, evidence)) > LEVELS.index(known.severity)

    def _found(self, rule: Rule, evidence: Evidence, record: Record) -> Finding | None:
        _, file, line = _key(rule, evidence)
        if is_suppressed(rule.name, file, line):
            return None
        level = _level(rule, evidence)
        assert LEVELS.index(level) <= LEVELS.index(rule.level), "evidence may only lower a rule's level"
        step = self.history.num_steps
        if isinstance(record, StepFacts | SignalFacts | ValidationFacts):
            step = record.index
        elif isinstance(record, EndFacts):
            step = record.num_steps
        step = step if evidence.step is None else evidence.step
        why = evidence.why or why_it_matters(rule)
        return Finding(rule.name, level, evidence.message, why, evidence.fix, file, line, step, 1, evidence.numbers)

    def _count(self, key: Place, number: int = 1) -> None:
        finding = self._findings[key]
        if finding is not None:
            finding.count += number

    def _count_unrecorded(self, record: StepFacts | EndFacts) -> None:
        """Steps that were not recorded looked like one that was: what was found in it is in them, too."""
        for index, number in record.alike:
            for key in self._fired.get(index, ()):
                self._count(key, number)


def _level(rule: Rule, evidence: Evidence) -> Level:
    return rule.level if evidence.level is None else evidence.level


def _key(rule: Rule, evidence: Evidence) -> Place:
    file, line = evidence.site.place if evidence.site is not None else (None, None)
    return (rule.name, file, line)


def why_it_matters(rule: Rule) -> str:
    """The first paragraph of the rule's section of that name, on one line."""
    section = _WHY.search(rule.doc)
    return " ".join(section["text"].strip().split("\n\n")[0].split()) if section else ""
