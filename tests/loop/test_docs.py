"""The examples of the documentation run, top to bottom."""

import re
from pathlib import Path
from typing import Any

import pytest
import torch

FOLDER = Path(__file__).parents[2] / "docs" / "loop"
PAGES = [page for page in sorted(FOLDER.glob("*.md")) if "```python" in page.read_text(encoding="utf-8")]


def what_readers_have() -> dict[str, Any]:
    """The names that examples take for granted."""
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 1)
    return {
        "model": model,
        "optimizer": torch.optim.SGD(model.parameters(), lr=0.1),
        "scheduler": None,
        "loader": [(x, x.sum(1, keepdim=True)) for x in torch.randn(8, 16, 4)],
        "loss_fn": torch.nn.functional.mse_loss,
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # an example may write files
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert blocks
    exec(compile("\n".join(blocks), str(page), "exec"), {"__name__": page.stem, **what_readers_have()})
