"""Try the surefoot that this Python has installed: `make release` does, where nothing but the wheel is."""

import json
import subprocess
import sys
import tempfile
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

BUGGY = """\
import torch
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(20):
    loss = model(torch.randn(8, 4)).pow(2).mean()
    loss.backward()
    optimizer.step()
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        script, report = Path(folder, "train.py"), Path(folder, "report.json")
        script.write_text(BUGGY, encoding="utf-8")
        command = [sys.executable, "-m", "surefoot", "run", "--report", str(report), str(script)]
        status = subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode
        found = [(each["rule"], each["line"]) for each in json.loads(report.read_text(encoding="utf-8"))["findings"]]
    assert status == 1, status
    assert ("stale-gradients", 7) in found, found
    assert any(files("surefoot").joinpath("dashboard/page/vendor").iterdir()), "the page's library is missing"
    print(f"surefoot {version('surefoot')} works as installed")


if __name__ == "__main__":
    main()
