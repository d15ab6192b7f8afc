"""Where the best weights are kept, told by the source."""

from pathlib import Path

import pytest

from surefoot.facts import Site
from surefoot.watch.saved.improvement import is_kept_as_best

CODE = """
for epoch in range(3):
    if loss < lowest:
        best = model.state_dict()
        model.load_state_dict(best)
    elif epoch % 2 == 0:
        regular = model.state_dict()
    always = model.state_dict()
model.load_state_dict(best)
"""


@pytest.mark.parametrize(("taken", "used", "expected"), [(4, 9, True), (4, 5, False), (7, 9, False), (8, 9, False)])
def test_taken_under_a_comparison_and_used_outside(taken: int, used: int, expected: bool, tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text(CODE)
    assert is_kept_as_best(Site(str(file), taken), Site(str(file), used)) is expected


def test_other_files_and_no_source(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text(CODE)
    assert is_kept_as_best(Site(str(file), 4), Site("other.py", 5))
    assert not is_kept_as_best(Site("missing.py", 4), Site(str(file), 9))
    assert not is_kept_as_best(None, Site(str(file), 9))
