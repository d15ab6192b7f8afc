"""Lines that leave no trace at run time."""

from pathlib import Path

from surefoot.facts import Site
from surefoot.watch.source import find_assignment, find_freezing, find_in_class, loop_around

SOURCE = """
class Parent:
    def __init__(self):
        self.inherited = []

class Child(Parent):
    def __init__(self):
        super().__init__()
        self.first, self.second = [], {}
        self.third: list = []

thing = Child()
thing.later = [1]
thing.weight.requires_grad_(False)
"""


def program(tmp_path: Path) -> tuple[str, dict[str, type]]:
    file = tmp_path / "program.py"
    file.write_text(SOURCE.replace("thing.weight", "# thing.weight"))
    names: dict[str, type] = {}
    exec(compile(file.read_text(), str(file), "exec"), names)
    return str(file), names


def test_assignments_in_a_class_and_its_parents(tmp_path: Path) -> None:
    file, names = program(tmp_path)
    lines = {"first": 9, "second": 9, "third": 10, "inherited": 4}
    for attribute, line in lines.items():
        found = find_in_class(names["Child"], attribute)
        assert found is not None and found.place == (file, line)
    assert find_in_class(names["Child"], "later") is None


def test_assignments_anywhere(tmp_path: Path) -> None:
    file, _ = program(tmp_path)
    found = find_assignment([file], "later")
    assert found is not None and found.line == 13
    assert find_assignment([file, str(tmp_path / "none.py")], "nothing") is None


def test_freezing_by_call_or_assignment(tmp_path: Path) -> None:
    file = tmp_path / "freeze.py"
    file.write_text(SOURCE)
    found = find_freezing([str(file)])
    assert found is not None and found.line == 14
    for code, line in {
        "p.requires_grad = True\np.requires_grad = 'head' in name": 2,
        "m.requires_grad_()\nm.requires_grad_(True)\nm.requires_grad_(requires_grad=False)": 3,
    }.items():
        file = tmp_path / f"{line}.py"
        file.write_text(code)
        found = find_freezing([str(file)])
        assert found is not None and found.line == line
    file = tmp_path / "broken.py"
    file.write_text("this is no Python")
    assert find_freezing([str(file)]) is None


def test_the_loop_around_a_line_or_its_callers(tmp_path: Path) -> None:
    file = tmp_path / "loop.py"
    file.write_text(
        "def make():\n    x = 1\n\nfor seed in a:\n    for i, epoch in b:\n        make()\n    make()\nmake()\n"
    )
    name = str(file)
    assert loop_around(Site(name, 2, callers=((name, 6),))) == "(i, epoch)"
    assert loop_around(Site(name, 2, callers=((name, 7),))) == "seed"
    assert loop_around(Site(name, 2, callers=((name, 8),))) == ""
