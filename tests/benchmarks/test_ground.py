"""The workloads of other tools: none is dropped silently, and a checkout that changed is refused."""

import tarfile
from pathlib import Path

import pytest
from benchmarks.ground import pysiassist, traincheck
from benchmarks.ground.stand_in import requests
from benchmarks.ground.workload import Workload, run

FIXED = "for epoch in range(2):\n    opt.zero_grad()\n    criterion(model(x), y).backward()\n    opt.step()\n"


def test_each_of_the_eighteen_bugs_is_run_or_says_why_not():
    run_here = {workload.name.split("/")[0] for workload in traincheck.WORKLOADS if workload.kind == "bug"}
    assert len(run_here) + len(traincheck.NOT_RUN) == 18
    assert run_here.isdisjoint(traincheck.NOT_RUN)


def test_each_bug_that_has_a_fix_is_run_with_it_too():
    kinds = {workload.name: workload.kind for workload in traincheck.WORKLOADS}
    fixed = {name.split("/")[0] for name, kind in kinds.items() if kind == "fixed"}
    assert fixed == {"pytorch-forum-84911", "stackoverflow-60335387", "pytorch-51800"}


def test_a_checkout_without_the_text_to_edit_is_refused(tmp_path: Path):
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "main.py").write_text("device = 'cpu'\n")
    with pytest.raises(ValueError, match="the checkout differs"):
        run(Workload("one", "one", "main.py", [("main.py", r"cuda\(\)", "")]), tmp_path)


def test_a_snippet_becomes_the_body_of_a_loop():
    whole = pysiassist.program(pysiassist.Snippet("3", False, FIXED, True))
    assert whole is not None
    assert f"for _repeat in range({pysiassist.REPEATS}):\n    for epoch" in whole


@pytest.mark.parametrize("code", ["loss.backward(", "print(1)\n"])
def test_what_is_no_python_or_trains_nothing_is_not_run(code: str):
    assert pysiassist.program(pysiassist.Snippet("3", True, code, True)) is None


def test_the_graph_names_only_papers_that_it_has():
    with tarfile.open(fileobj=requests.get("anything").raw, mode="r:gz") as archive:
        files = [archive.extractfile(f"cora/cora.{kind}") for kind in ("content", "cites")]
        content, cites = (file.read().decode().splitlines() for file in files if file is not None)
    papers = {line.split()[0] for line in content}
    assert len(content[0].split()) == requests.WORDS + 2
    assert {paper for line in cites for paper in line.split()} <= papers
