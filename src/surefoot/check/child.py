"""`python -m surefoot.check.child FOLDER`: run one experiment, and write down in FOLDER what was seen.

The folder has `experiment.json`, and a copy of the program's folders, where it runs.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

from surefoot.check.experiment import Experiment, Result
from surefoot.check.seeds import Habits, seed_all
from surefoot.check.sharing import can_share, fork_for_each, open_files
from surefoot.lab.learn.end_with_parent import end_group, when_parent_ends
from surefoot.launch import outcome
from surefoot.launch.hook.surefoot_import import when_imported
from surefoot.launch.program import Program, ProgramError
from surefoot.launch.workspace.following import redirect_children
from surefoot.launch.workspace.redirect import Redirect
from surefoot.launch.workspace.workspace import OUTSIDE
from surefoot.runlog.write.current import decide

EXPERIMENT, RESULT, GRADIENTS = "experiment.json", "result.json", "gradients.pt"
RULES = (
    "graph-cut", "loss-detached-from-model", "gradients-cleared-before-step", "all-gradients-zero",
    "zero-learning-rate", "backward-misses-optimizer", "optimizer-holds-stale-parameters", "nearly-all-frozen",
    "parameters-not-in-optimizer", "unregistered-module", "negative-learning-rate",
    "samples-mixed-in-batch", "softmax-over-batch", "missing-causal-mask", "training-in-eval-mode", "dropout-lost",
    "dropout-active-in-eval", "evaluating-in-train-mode",
)  # fmt: skip


class Child:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._cwd = Path.cwd()
        self._begun = time.monotonic()
        self._experiment = Experiment.from_json((folder / EXPERIMENT).read_text(encoding="utf-8"))
        self._result = Result()
        self._redirect = Redirect(str(folder), str(folder / OUTSIDE))
        self._habits = Habits(self._result)
        self._observer: Any = None
        self._sanitizer: Any = None
        self._num_open = 0  # files, when the program begins

    def run(self) -> None:
        wanted = self._experiment
        program = Program(wanted.name, wanted.args, wanted.is_module)
        self._redirect.install()
        redirect_children(self._redirect, self._folder)
        self._habits.install()
        if wanted.seed is not None:
            seed_all(wanted.seed)
        when_imported("torch", self._torch_is_there)
        self._redirect.has_written = False
        self._num_open = open_files()
        try:
            ended = outcome.run(program.run)
            self._result.ended = ended.reason
            if ended.status or ended.reason == "raised":
                self._result.error = f"{type(ended.error).__name__}: {ended.error}".splitlines()[0]
        except ProgramError as error:
            self._result.ended, self._result.error = "raised", str(error)
        self._finish()
        self.write()

    def write(self) -> None:
        """Whole or not at all: the parent reads it as soon as it is there."""
        self._result.seconds = time.monotonic() - self._begun
        unfinished = self._folder / f".{RESULT}"
        unfinished.write_text(self._result.to_json(), encoding="utf-8")
        os.replace(unfinished, self._folder / RESULT)  # noqa: PTH105

    def _torch_is_there(self) -> None:
        import torch

        if self._experiment.is_shared and can_share(self._num_open, self._redirect.has_written):
            self._experiment = Experiment.from_json(fork_for_each(self._folder / EXPERIMENT))
            self._begun = time.monotonic()

        from surefoot.check.instruments import install

        self._habits.install_torch(torch)
        self._redirect.install_torch(torch)
        if self._experiment.seed is not None:
            seed_all(self._experiment.seed)
        if self._experiment.kind == "watch":
            self._watch()
        self._observer = install(self._experiment, self._result, self.write, self._folder / GRADIENTS)

    def _watch(self) -> None:
        from surefoot.facts import StepFacts
        from surefoot.rules.catalogue import catalogue
        from surefoot.sanitizer import Sanitizer
        from surefoot.watch.settings import Settings

        def recorded(record: Any) -> None:
            if isinstance(record, StepFacts):
                for sequence in record.sequences:
                    if [offset for offset, _ in sequence.offsets] == [1]:
                        reads = [read for read in sequence.reads if read.is_per_position]
                        self._result.reads = [{"target": one.target, "latest": one.latest} for one in reads]

        rules = [rule for name, rule in catalogue().items() if name in RULES]
        self._sanitizer = Sanitizer(rules, settings=Settings(overhead=0.0, thorough=True), on_record=recorded)
        self._sanitizer.start()

    def _finish(self) -> None:
        if self._observer is not None:
            self._observer.finish()
        if self._sanitizer is not None:
            self._sanitizer.finish(self._result.ended)
            self._result.findings = [
                {
                    "rule": one.rule, "severity": one.severity, "message": self._shown(one.message), "line": one.line,
                    "file": Path(one.file or "").name, "fix": self._shown(one.fix), "count": one.count,
                }
                for one in self._sanitizer.judge.findings
            ]  # fmt: skip

    def _shown(self, text: str) -> str:
        """Files of the copy by the names that the user knows."""
        return text.replace(f"{self._cwd}{os.sep}", "")


def main() -> None:
    when_parent_ends(end_group)
    decide(None)  # nothing of it is logged
    folder = Path(sys.argv[1])
    Child(folder).run()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # what a process with torch does at its end takes longer than some experiments, and nobody looks at it


if __name__ == "__main__":
    main()
