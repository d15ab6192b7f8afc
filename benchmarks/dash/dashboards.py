"""How each dashboard is started on a folder, where it shows the run, and how to tell that charts are painted."""

import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

CHARTS = 4  # that must show their lines

# A canvas that was drawn on; one that belongs to a worker can't be looked at.
_DRAWN = """
const drawn = (canvas) => {
  const { width, height } = canvas;
  if (!width || !height) return false;
  const pixels = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, width, height).data.buffer);
  return new Set(pixels.filter((pixel) => pixel >>> 31)).size > 3;  // not only transparent, and not of one colour
};
"""


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


@dataclass(frozen=True)
class Dashboard:
    name: str
    command: Callable[[Path, Path, int], list[str]]  # of the environment's programs, the folder and a port
    address: str  # as it is printed, or `http://…` with {port}
    painted: str  # JavaScript: how many charts show their lines
    package: str | None = None
    environment: Callable[[Path], dict[str, str]] = lambda folder: {}

    def start(self, programs: Path, folder: Path, port: int) -> subprocess.Popen[str]:
        environment = {**os.environ, "BROWSER": "true", "PYTHONUNBUFFERED": "1", **self.environment(folder)}
        return subprocess.Popen(
            self.command(programs, folder, port), env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, start_new_session=True,
        )  # fmt: skip

    def find_address(self, process: subprocess.Popen[str], port: int) -> str:
        if "{port}" in self.address:
            return self.address.format(port=port)
        assert process.stdout is not None
        for line in process.stdout:
            found = re.search(r"http://[\w.:/?=-]+", line)
            if found:
                return found[0]
        raise RuntimeError(f"{self.name} ended without an address")


DASHBOARDS = (
    Dashboard(
        "surefoot",
        lambda programs, folder, port: [
            sys.executable, "-m", "surefoot", "dash", str(folder), "--no-browser", "--port", str(port)
        ],
        "printed",
        f"() => {{ {_DRAWN} return [...document.querySelectorAll('.uplot canvas')].filter(drawn).length; }}",
    ),
    Dashboard(
        "TensorBoard",
        lambda programs, folder, port: [
            str(programs / "tensorboard"), "--logdir", str(folder), "--port", str(port), "--host", "127.0.0.1"
        ],
        "http://127.0.0.1:{port}/",
        # Its canvases belong to a worker; the axis has the run's steps once the lines are there.
        "() => [...document.querySelectorAll('line-chart')].filter((one) => /[1-9],?000/.test(one.innerText)).length",
        "tensorboard",
    ),
    Dashboard(
        "trackio",
        lambda programs, folder, port: [str(programs / "trackio"), "show", "--project", "bench"],
        "printed",
        f"() => {{ {_DRAWN} return [...document.querySelectorAll('canvas.marks')].filter(drawn).length; }}",
        "trackio",
        lambda folder: {"TRACKIO_DIR": str(folder), "HF_HUB_OFFLINE": "1"},
    ),
)  # fmt: skip
