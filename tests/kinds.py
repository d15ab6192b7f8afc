"""Which tests are not quick, and in which order and by which process of pytest-xdist tests are run.

A test is quick unless its file or folder is named in KINDS. `make quick` runs the quick ones, `make test` all, in two
passes. Coverage is measured of quick ones and of those of kind "process": a tracer makes whole trainings three to ten
times as slow, and what they cover must be covered by tests of its own.
"""

from pathlib import Path

import pytest
from xdist.scheduler import LoadScopeScheduling

# Folders, files, and files of a folder; the longest first, so that no process is left with one of them in the end.
KINDS = {
    "process": [
        "fix/test_fixer.py", "cli/test_run.py", "launch/test_guard.py", "launch/test_program.py", "fix/test_command.py",
        "check/test_command.py", "launch/test_not_followed.py", "cli/test_runs.py", "dashboard/test_query.py",
        "dashboard/test_door.py", "dashboard/test_descent.py", "cli/test_wrong_usage.py", "box",
        "test_beside_writer.py", "dashboard/test_live.py", "dashboard/test_worker_ends.py", "cli/test_commands.py",
        "sanitizer/test_inside.py", "loop/test_log.py", "write/test_seal.py", "checkpoint/test_folder.py",
        "write/test_descriptor.py", "verify/test_command.py", "verify/test_python.py", "testing/test_plugin.py",
        "check/test_bisect.py", "check/test_sharing.py", "mcp/test_server.py", "runlog/test_fuzzed.py",
    ],
    "browser": ["browser"],
    "corpus": ["odd", "test_zoo.py", "test_late_bugs.py", "test_twins.py", "examples", "guide", "benchmarks"],
    "kills": ["loop/test_resume.py", "test_kill.py"],
    "ranks": ["parallel", "test_ranks_together.py", "test_on_ranks.py", "zoo"],
    "slow": [
        "test_processes.py", "test_runner.py", "test_followed.py", "watch/test_window.py", "test_equal_runs.py",
        "test_same_results.py", "test_learn.py", "test_ablate.py", "test_sampling.py", "test_alerts.py", "test_kept.py",
        "trace/test_program.py", "test_calls.py", "test_unchanged.py", "test_property.py",
        "data/test_bugs.py",  # its programs must not be traced
    ],
}  # fmt: skip
ORDER = [(kind, name) for kind, names in KINDS.items() for name in names]
WITH_SLOW_ONES = ("test_feed.py", "test_log.py")  # files of another kind
# Folders whose tests share a browser, a team of ranks or a server, of which one is enough.
TOGETHER = ("tests/dashboard/browser/", "tests/loop/parallel/", "tests/fix/")


def entry(path: Path) -> int | None:
    """The first of ORDER that names it."""
    names = {path.parent.name, path.name, f"{path.parent.name}/{path.name}"}
    return next((number for number, (_, name) in enumerate(ORDER) if name in names), None)


def kind(item: pytest.Item) -> str:
    if item.path.name == "test_feed.py" and "workers" in item.name:
        return "slow"
    if item.name == "test_a_signal_handler_may_log_too":  # it may find the lock taken that coverage has
        return "slow"
    return kind_of(item.path)


def kind_of(path: Path) -> str:
    number = entry(path)
    return "quick" if number is None else ORDER[number][0]


def turn(path: Path) -> int:
    """Tests that count the live models of the process come first: others leave some behind in torch's caches.

    Then come quick ones, so that most of what is imported is imported while coverage is measured.
    """
    number = entry(path)
    return (-2 if path.parent.name == "inventory" else -1) if number is None else number


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """What is not going to be run need not be imported."""
    expression = config.getoption("markexpr")
    files = collection_path.rglob("test_*.py") if collection_path.is_dir() else [collection_path]
    return None if not expression or any(may_be_asked_for(file, expression) for file in files) else True


def may_be_asked_for(file: Path, expression: str) -> bool:
    """Whether a pass, which is an expression of kinds, has tests of it."""
    kinds = {kind_of(file)} | ({"slow"} if file.name in WITH_SLOW_ONES else set())
    try:
        return any(eval(expression, {}, {one: one == mine for one in (*KINDS, "quick")}) for mine in kinds)
    except NameError:  # it has other marks in it
        return True


@pytest.hookimpl(tryfirst=True)  # before tests are selected by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: turn(item.path))
    for item in items:
        item.add_marker(kind(item))


class ByFile(LoadScopeScheduling):
    """Gives each process whole files, or all files that share a fixture."""

    def _split_scope(self, nodeid: str) -> str:
        return next((folder for folder in TOGETHER if nodeid.startswith(folder)), nodeid.split("::", 1)[0])


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> ByFile | None:
    return ByFile(config, log) if config.getoption("dist") == "loadfile" else None
