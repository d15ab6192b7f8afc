"""Odd but legal programs run as if nobody watched: the same output, exit status, warnings and tracebacks."""

from pathlib import Path

import pytest

from tests.odd.running import Program, differences, run_bare, run_watched

FOLDER = Path(__file__).parent / "programs"
# What still differs, and why. Each is a promise to keep, not a test to skip.
DIFFERENT = {
    "profiler_around": "a profiler lists the operations by which the first windows are read",
    "signal_storm": "what a handler raises while a weak reference of ours is told of a death is lost by Python itself",
}
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem not in {"training", *DIFFERENT})
PLAIN = ("--no-log",)
LOGGED = ("--overhead", "1", "--log", "../runs")  # measures every step, so that all that can be measured is
# Where threads and descriptors of the run log could matter; a third process for each program would take too long.
ALSO_LOGGED = ("exit", "files", "freed", "keyboard", "mode", "process", "script", "sig", "threads")


@pytest.mark.parametrize("name", PROGRAMS)
def test_program_runs_as_if_nobody_watched(name: str, tmp_path: Path) -> None:
    program = Program.read(FOLDER / f"{name}.py")
    bare = run_bare(program, tmp_path / "bare")
    assert "SyntaxError" not in bare.err
    for options in (PLAIN, LOGGED) if name.startswith(ALSO_LOGGED) else (PLAIN,):
        watched = run_watched(program, tmp_path / options[0].strip("-"), *options)
        assert not "\n".join(differences(program, bare, watched)), options
