from pathlib import Path

import torch

from surefoot.watch.site import Sites
from tests.watch.watching import watching


def test_a_line_of_user_code_and_its_callers() -> None:
    sites = Sites()

    def inner() -> object:
        return sites.here(1)

    first = inner()
    second = inner()
    assert first is not None and second is not None
    assert first != second  # called from different lines
    assert first.place == second.place  # type: ignore[attr-defined]


def test_libraries_and_generated_code_are_not_user_code() -> None:
    sites = Sites(user_code=("/somewhere/site-packages/mine",))
    assert not sites.is_user(torch.__file__)
    assert not sites.is_user("<frozen importlib._bootstrap>")
    assert not sites.is_user("/x/site-packages/other/a.py")
    assert sites.is_user("/somewhere/site-packages/mine/train.py")
    assert sites.is_user("<ipython-input-3-abc>")
    assert sites.is_user(str(Path(__file__)))


def test_sites_of_backward_and_step_are_in_the_program() -> None:
    with watching() as watched:
        model = torch.nn.Linear(2, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()
    (facts,) = watched.steps
    assert facts.site is not None and facts.site.file == __file__
    line = Path(__file__).read_text().splitlines()[facts.site.line - 1]
    assert line.strip() == "optimizer.step()"
    backward_site = facts.backwards[0].site
    assert backward_site is not None and backward_site.line == facts.site.line - 1
