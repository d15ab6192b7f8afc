"""PySIAssist's snippets from the PyTorch forum: which of them can be run, and what surefoot says of those.

A snippet is a fragment. `snippet_world.py` gives it a classifier, data and an optimizer under the names that people
use; it is run 40 times over, as the body of a training loop would be, for 200 updates at most. It counts as run if it
takes optimizer steps until it ends.
"""

import ast
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.bugs.process import Job, run_all

SAMPLES = "dataset/testing_codes_set.xlsx"
REPEATS = 40
COMMAND = ("run", "--no-log", "--max-steps", "200")
MODELS, OPTIMIZERS = {"model", "net", "model1", "network"}, {"optimizer", "opt", "optimiser", "optim"}
PATTERNS = {
    "1": "weights loaded or set by hand",
    "2": "eval() and no_grad() not paired",
    "3": "order of optimizer and loss calls",
    "4": "what is passed to torch.save",
    "5": "detach() during training",
    "6": "data neither shuffled nor sampled",
    "7": "random state",
    "8": "data not preprocessed",
    "9": "Variable()",
    "10": "activation that the loss repeats",
    "11": "view() in place of permute()",
    "12": ".data",
    "13": "timing a GPU without waiting for it",
    "14": "cuDNN benchmark mode",
}


@dataclass(frozen=True, slots=True)
class Snippet:
    pattern: str
    is_buggy: bool
    code: str
    is_judged_right: bool  # by PySIAssist, as published


def snippets(checkout: Path) -> Iterator[Snippet]:
    import openpyxl

    book = openpyxl.load_workbook(checkout / SAMPLES, read_only=True)
    for title, is_buggy in (("Positive Sample", True), ("Negative Sample", False)):
        for pattern, _, code, judged in list(book[title].iter_rows(values_only=True, max_col=4))[1:]:
            if pattern is not None:
                yield Snippet(str(pattern), is_buggy, str(code), str(judged).strip().startswith("T"))


def program(snippet: Snippet) -> str | None:
    """None for what is no Python, trains nothing, or builds a model whose optimizer is made elsewhere."""
    if ".backward(" not in snippet.code:
        return None
    body = "".join(f"    {line}\n" for line in snippet.code.splitlines())
    try:
        loop = ast.parse(f"for _repeat in range({REPEATS}):\n{body}")
    except SyntaxError:
        return None
    names = [node for node in ast.walk(loop) if isinstance(node, ast.Name)]
    made = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    if made & MODELS and not made & OPTIMIZERS:
        return None
    wanted = sorted({node.id for node in names if isinstance(node.ctx, ast.Load)} & set(offered()))
    return f"from snippet_world import {', '.join(wanted)}\nfor _repeat in range({REPEATS}):\n{body}"


def offered() -> list[str]:
    from benchmarks.ground import snippet_world

    return [*(name for name in vars(snippet_world) if not name.startswith("__")), *snippet_world.SCHEDULES]


@dataclass(frozen=True, slots=True)
class Said:
    is_run: bool
    findings: tuple[str, ...]
    why: str = ""


def judge(found: list[Snippet]) -> list[Said]:
    said: list[Said] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(Path(__file__).with_name("snippet_world.py"), folder)
        jobs: list[Job] = []
        places: list[int] = []
        for at, snippet in enumerate(found):
            code = program(snippet)
            said.append(Said(False, (), "trains nothing" if code is None else ""))
            if code is not None:
                file = folder / f"snippet_{at}.py"
                file.write_text(code, encoding="utf-8")
                jobs.append(Job("surefoot", (*COMMAND, "--report", folder / f"{at}.json", file)))
                places.append(at)
        for at, outcome in zip(places, run_all(jobs, Path(sys.executable)), strict=True):
            report = folder / f"{at}.json"
            facts = json.loads(report.read_text(encoding="utf-8")) if report.exists() else {"steps": 0, "findings": []}
            ended_itself = "Traceback" not in outcome.stderr
            rules = tuple(sorted({one["rule"] for one in facts["findings"] if one["severity"] != "note"}))
            said[at] = Said(ended_itself and facts["steps"] > 0, rules, outcome.last_words)
    return said
