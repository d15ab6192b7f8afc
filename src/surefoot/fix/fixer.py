"""The search for patches: take a finding, try what may mend it, keep what is proven, go on with the next."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import libcst as cst

from surefoot.facts.frozen import frozen
from surefoot.fix.code.source import Source
from surefoot.fix.patch import Fixed, Patch, Unpatched
from surefoot.fix.patcher import Patcher, patchers
from surefoot.fix.project import Project
from surefoot.fix.proof import objection
from surefoot.fix.trial import Trial, Trials
from surefoot.judge import Finding
from surefoot.rules import LEVELS

MOST_TRIALS = 16  # for one finding; patches stand in the order of their likelihood
Say = Callable[[str], None]


@frozen
class Candidate:
    file: Path
    text: str
    meaning: str
    patcher: Patcher


class Fixer:
    """`say` hears of each patch. Of two that mean different things, rules in `second_choice` take the second."""

    def __init__(self, trials: Trials, project: Project, say: Say, second_choice: Collection[str] = ()) -> None:
        self._trials = trials
        self._project = project
        self._say = say
        self._second_choice = second_choice
        self._patches: list[Patch] = []
        self._given_up: dict[tuple[str, int], str] = {}

    def fix(self, before: Trial) -> Fixed:
        """From the run of the program as it is."""
        now = before
        while True:
            step = self._mend_next(now)
            if step is None:
                break
            now = step
            self._given_up.clear()  # what did not help before may help now
        texts = {file: text for file, text in self._project.texts.items() if text != self._project.original(file)}
        return Fixed(tuple(self._patches), tuple(self._unpatched(now)), before, now, texts)

    def _mend_next(self, now: Trial) -> Trial | None:
        """The run with one more patch; None if no finding can be mended."""
        for key, finding in _numbered(now):
            if key in self._given_up or (finding.severity == "note" and finding.rule not in patchers()):
                continue
            after = self._mend(now, key, finding)
            if after is not None:
                return after
        return None

    def _mend(self, now: Trial, key: tuple[str, int], finding: Finding) -> Trial | None:
        why = ""
        num_tried = 0
        found: tuple[Candidate, Trial] | None = None
        for candidate in self._candidates(finding):
            if found is not None and not _is_other_choice(found[0], candidate):
                continue
            if num_tried == MOST_TRIALS:
                break
            num_tried += 1
            trial = self._trials.run({**self._project.texts, candidate.file: candidate.text})
            objected = objection(now, trial, finding)
            why = why or objected
            if not objected and found is None:
                found = (candidate, trial)
                if not candidate.patcher.is_choice:
                    break
            elif not objected and found is not None:
                return self._accept(now, finding, found, (candidate, trial))
        if found is not None:
            return self._accept(now, finding, found, None)
        self._given_up[key] = _why_not(finding, num_tried, why, self._project)
        return None

    def _candidates(self, finding: Finding) -> Iterator[Candidate]:
        first = None if finding.file is None else Path(finding.file)
        sources = self._project.sources(first)
        seen: set[str] = set()
        for patcher in patchers().get(finding.rule, ()):
            for source in sources:
                if source.file != first and not patcher.anywhere:
                    continue
                for candidate in self._proposed(patcher, source, finding):
                    if candidate.text != source.text and candidate.text not in seen:
                        seen.add(candidate.text)
                        yield candidate

    def _proposed(self, patcher: Patcher, source: Source, finding: Finding) -> Iterator[Candidate]:
        """A patcher that fails on code it did not expect must not end the search."""
        try:
            for meaning, edit in patcher.propose(source, finding):
                text = _text(edit.text, source.file)
                if text is not None:
                    yield Candidate(source.file, text, meaning, patcher)
        except Exception as error:
            self._say(f"a patch for {finding.rule} can't be made of {source.file}: {error!r}")

    def _accept(
        self, now: Trial, finding: Finding, found: tuple[Candidate, Trial], other: tuple[Candidate, Trial] | None
    ) -> Trial:
        if other is not None and finding.rule in self._second_choice:
            found, other = other, found
        alternative = None if other is None else self._patch(now, finding, *other)
        patch = self._patch(now, finding, *found, alternative)
        self._patches.append(patch)
        self._project.texts[patch.file] = patch.after
        self._say(f"{finding.rule}: {patch.meaning}. Proven.")
        return found[1]

    def _patch(
        self, now: Trial, finding: Finding, candidate: Candidate, after: Trial, alternative: Patch | None = None
    ) -> Patch:
        before = self._project.text(candidate.file)
        assert before is not None
        return Patch(
            finding, self._project.original_line(finding), candidate.file, self._project.original(candidate.file),
            before, candidate.text, candidate.meaning, now.final_loss, after.final_loss, alternative,
        )  # fmt: skip

    def _unpatched(self, now: Trial) -> Iterator[Unpatched]:
        for key, finding in _numbered(now):
            if finding.severity != "note":
                yield Unpatched(finding, self._given_up[key])


def _numbered(trial: Trial) -> list[tuple[tuple[str, int], Finding]]:
    """Worst first; a finding is known by its rule and its place among those of the same rule."""
    ranked = sorted(trial.findings, key=lambda each: (-LEVELS.index(each.severity), each.step))
    seen: dict[str, int] = {}
    numbered = []
    for finding in ranked:
        seen[finding.rule] = seen.get(finding.rule, -1) + 1
        numbered.append(((finding.rule, seen[finding.rule]), finding))
    return numbered


def _is_other_choice(found: Candidate, candidate: Candidate) -> bool:
    return candidate.patcher is found.patcher and candidate.meaning != found.meaning


def _text(make: Callable[[], str], file: Path) -> str | None:
    """The patched text; None where a proposal does not fit the code it was made for."""
    try:
        text = make()
        compile(text, str(file), "exec", dont_inherit=True)
    except (cst.CSTLogicError, cst.CSTValidationError, cst.ParserSyntaxError, SyntaxError):
        return None
    return text


def _why_not(finding: Finding, num_tried: int, why: str, project: Project) -> str:
    if finding.rule not in patchers():
        return "no patch is known for this rule"
    if finding.file is not None and project.text(Path(finding.file)) is None:
        return f"its line is in {finding.file}, which is no source file of the program's own folders"
    if not num_tried:
        return f"no patch is known for the way it is written at line {finding.line}"
    tried = "one patch was" if num_tried == 1 else f"{num_tried} patches were"
    return f"{tried} tried and not proven; with the first, {why}"
