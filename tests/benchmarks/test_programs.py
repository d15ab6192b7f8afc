"""The programs that costs are measured on run, and the arithmetic is right. Costs are left to `make bench-programs`."""

import ast
import runpy
import sys
from pathlib import Path

import pytest
import torch
from benchmarks.programs.__main__ import choose, main, measure
from benchmarks.programs.cost import Round, cost, ratio_mark
from benchmarks.programs.measure import FULL, Effort, Lengths, lengths
from benchmarks.programs.page import page
from benchmarks.programs.process import RunError, run
from benchmarks.programs.program import FRAMEWORKS, GROWTH, Program, growth, programs
from benchmarks.programs.results import Result, Results

PROGRAMS = programs()
SMALLEST = [program for program in growth() if program.size == GROWTH[program.path.stem][0]]
HERE = [program for program in [*PROGRAMS, *SMALLEST] if program.package is None]
# 1,000 steps take 2 s bare and 2.5 s watched, 8,000 take 9 s and 11.6 s: 1 ms a step and 1.3 ms.
ROUND = Round(2.0, 2.5, 9.0, 11.6, peak_bare=300.0, peak_watched=370.0)


@pytest.mark.parametrize("program", HERE, ids=lambda program: program.name)
def test_a_program_runs_and_prints_its_weights(
    program: Program, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", program.command(3, watched=False)[1:])
    with torch.random.fork_rng():
        runpy.run_path(str(program.path), run_name="__main__")
    word, number = capsys.readouterr().out.splitlines()[-1].split()
    assert (word, float(number) > 0) == ("weights", True)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_a_program_knows_nothing_of_surefoot(program: Program) -> None:
    text = program.path.read_text()
    assert "surefoot" not in text
    nodes = list(ast.walk(ast.parse(text)))
    imported = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    imported |= {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}
    imported = {name.split(".")[0] for name in imported}
    assert imported - sys.stdlib_module_names - {"torch"} == ({program.package} if program.package else set())


def test_there_are_enough_programs_and_every_framework_has_one() -> None:
    assert len(PROGRAMS) >= 20
    assert set(FRAMEWORKS) <= {program.name for program in PROGRAMS}


def test_the_cost_of_a_step_and_of_a_run_are_told_apart() -> None:
    found = cost([ROUND], short=1000, long=8000)
    assert found.step_ms.median == pytest.approx(1.0)
    assert found.ratio.median == pytest.approx(1.3)
    assert found.extra_us.median == pytest.approx(300)
    assert found.fixed_seconds.median == pytest.approx(0.2)
    assert found.memory_mb.median == 70
    assert found.misses == ["step", "memory"]


def test_figures_are_medians_with_their_range() -> None:
    others = [Round(2.0, 2.5, 9.0, long, 300.0, 310.0) for long in (9.5, 10.2)]
    found = cost([ROUND, *others], short=1000, long=8000)
    assert (found.ratio.low, found.ratio.median, found.ratio.high) == pytest.approx((1.0, 1.1, 1.3))
    assert found.num_rounds == 3


@pytest.mark.parametrize(("step_ms", "mark"), [(0.1, 1.10), (1, 1.10), (10**0.5, 1.06), (10, 1.02), (300, 1.02)])
def test_the_mark_falls_from_1_to_10_ms(step_ms: float, mark: float) -> None:
    assert ratio_mark(step_ms) == pytest.approx(mark)


def test_lengths_fit_the_time_of_a_step() -> None:
    assert lengths(0.4e-3, FULL) == Lengths(2500, 20_000)
    assert lengths(1.0, FULL) == Lengths(FULL.least_short, FULL.least_long)


def test_rounds_are_kept_and_another_text_of_the_program_is_another_program(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("print(1)")
    program, results = Program("train", script), Results(tmp_path / "kept" / "results.json")
    results.keep(program, Result(program.digest, Lengths(10, 80), [ROUND]))
    assert Results(results.path).of(program) == Result(program.digest, Lengths(10, 80), [ROUND])
    script.write_text("print(2)")
    assert Results(results.path).of(program).rounds == []


def test_only_missing_rounds_are_taken_and_bare_and_watched_go_first_by_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (program,) = choose("mlp")
    results = Results(tmp_path / "results.json")
    results.keep(program, Result(program.digest, Lengths(10, 80), [ROUND]))
    firsts = []

    def take(program: Program, lengths: Lengths, *, watched_first: bool, together: bool) -> Round:
        firsts.append(watched_first)
        return ROUND

    monkeypatch.setattr("benchmarks.programs.__main__.take_round", take)
    measure(program, results, Effort(1.0, 3, 1, 2))
    assert results.of(program).rounds == [ROUND] * 3
    assert firsts == [True, False]


def test_ctrl_c_keeps_what_was_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (program,) = choose("mlp")
    results = Results(tmp_path / "results.json")
    results.keep(program, Result(program.digest, Lengths(10, 80)))
    rounds = iter([ROUND])

    def take(*_: object, **__: object) -> Round:
        for one in rounds:
            return one
        raise KeyboardInterrupt

    monkeypatch.setattr("benchmarks.programs.__main__.take_round", take)
    monkeypatch.setattr("benchmarks.programs.__main__.open_results", lambda *, quick: results)
    assert main(["--only", "mlp"]) == 130
    assert Results(results.path).of(program).rounds == [ROUND]


def test_a_process_is_told_by_its_cpu_time_memory_and_output() -> None:
    busy = "import time\nx = bytearray(50 * 2**20)\nwhile time.process_time() < .2: pass\nprint('done')"
    usage = run([sys.executable, "-c", busy], 60, frozenset({0}))
    assert usage.cpu_seconds >= 0.2
    assert usage.peak_mb >= 50
    assert (usage.stdout, usage.status) == ("done\n", 0)


def test_a_process_that_fails_or_hangs_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.programs.process.PATIENCE", 2)
    with pytest.raises(RunError, match=r"exit status 3: .*why"):
        run([sys.executable, "-c", "import sys; print('why', file=sys.stderr); sys.exit(3)"], 60, frozenset({0}))
    for forever in ("while True: pass", "import time; time.sleep(60)"):
        with pytest.raises(RunError, match="gave up after"):
            run([sys.executable, "-c", forever], 1, frozenset({0}))


def test_names_choose_programs_and_tables() -> None:
    assert [program.name for program in choose("gan, micro_batches")] == [
        "gan", *(f"micro_batches-{size}" for size in GROWTH["micro_batches"])
    ]  # fmt: skip
    assert len(choose("")) == len(PROGRAMS) + len(growth())
    with pytest.raises(ValueError, match="no such program: gann"):
        choose("gann")


def test_the_page_shows_what_missed_and_what_failed() -> None:
    good = Round(2.0, 2.1, 9.0, 9.2, 300.0, 310.0)
    rows = [
        (Program("slow", Path("slow.py")), Result("", Lengths(1000, 8000), [ROUND])),
        (Program("fast", Path("fast.py")), Result("", Lengths(1000, 8000), [good])),
        (Program("gone", Path("gone.py")), Result("", failure="x is not\ninstalled")),
    ]
    grown = [
        (Program(f"tensors-{size}", Path("tensors.py"), size), Result("", Lengths(1000, 8000), [one]))
        for size, one in ((4, good), (100, ROUND))
    ]
    text = page(rows, grown, "abc")
    assert "1 of 2 programs are within all marks; not measured: 1." in text
    assert "| slow | 1.00 | **1.300** | 1.300 to 1.300 | 1.100 | 0.20 (0.20 to 0.20) | **70** | step, memory |" in text
    assert "| gone | | | | | | | not measured: x is not installed |" in text
    assert "From 4 to 100: 2.98 µs for each one more." in text
