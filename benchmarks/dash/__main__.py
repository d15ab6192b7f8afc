"""The dashboard beside others, on the same numbers, in the same browser.

python -m benchmarks.dash                              # docs/benchmarks.md
python -m benchmarks.dash --only surefoot --steps 1000000
"""

import argparse
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from urllib.parse import quote, urlsplit

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.dash.dashboards import CHARTS, DASHBOARDS, Dashboard, free_port
from benchmarks.dash.write import NUM_SERIES
from benchmarks.log.page import put, table

ROOT = Path(__file__).parents[2]
PEERS = Path(os.environ.get("BENCH_PEERS", ROOT / ".venv-bench-log")) / "bin"
NUM_STEPS = 10_000
NUM_TURNS = 5
LONGEST_SECONDS = 120.0
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
TEXT = """## The dashboard beside others

Written by `make bench-dash`. {steps:,} steps of {series} series, logged by each with its own writer. *Up*: from its
command to its first answer. *Painted*: from opening the address in a new browser (Chromium, nothing cached, 1,400 by
1,000 pixels) until {charts} charts show their lines, asked every 20 ms; of the run's page, for surefoot. *Bytes*: all
that was transferred until then. *Elsewhere*: requests to other hosts. They take turns, each freshly started; the median
of {turns}.

{table}
"""


def write(dashboard: Dashboard, num_steps: int, folder: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", "OMP_NUM_THREADS": "1"}
    python = sys.executable if dashboard.package is None else str(PEERS / "python")
    subprocess.run(
        [python, "-m", "benchmarks.dash.write", dashboard.name, str(num_steps), str(folder)],
        cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def measure(dashboard: Dashboard, folder: Path, browser: Browser) -> dict[str, float]:
    port = free_port()
    begun = time.monotonic()
    process = dashboard.start(PEERS, folder, port)
    try:
        address = dashboard.find_address(process, port)
        wait_until_up(address)
        up = time.monotonic() - begun
        page = browser.new_context(viewport={"width": 1400, "height": 1000}).new_page()
        try:
            return {"up": up, **watch(page, dashboard, address, folder)}
        finally:
            page.context.close()
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def watch(page: Page, dashboard: Dashboard, address: str, folder: Path) -> dict[str, float]:
    told = {"bytes": 0.0, "elsewhere": 0.0}
    own = urlsplit(address).netloc

    def finished(event: dict[str, float]) -> None:
        told["bytes"] += event["encodedDataLength"]

    def requested(event: dict[str, dict[str, str]]) -> None:
        parts = urlsplit(event["request"]["url"])
        told["elsewhere"] += parts.scheme in ("http", "https") and parts.netloc != own

    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    network.on("Network.loadingFinished", finished)
    network.on("Network.requestWillBeSent", requested)
    if dashboard.package is None:  # the address opens the list of runs; a link opens the run
        (run,) = [entry.name for entry in folder.iterdir()]
        address = f"{address}#/run/{quote(run)}"
    begun = time.monotonic()
    page.goto(address, wait_until="commit")
    while page.evaluate(dashboard.painted) < CHARTS:
        if time.monotonic() - begun > LONGEST_SECONDS:
            raise SystemExit(f"{dashboard.name} has painted nothing in {LONGEST_SECONDS:.0f} s")
        page.wait_for_timeout(20)
    return {"painted": time.monotonic() - begun, **told}


def wait_until_up(address: str) -> None:
    while True:
        try:
            urllib.request.urlopen(address.partition("?")[0], timeout=30).close()
            return
        except urllib.error.HTTPError:  # it answers
            return
        except OSError:
            time.sleep(0.01)


def version_of(dashboard: Dashboard) -> str:
    if dashboard.package is None:
        return f"**{dashboard.name}**"
    code = f"import importlib.metadata as m; print(m.version({dashboard.package!r}))"
    done = subprocess.run([PEERS / "python", "-c", code], capture_output=True, text=True, check=True)
    return f"{dashboard.name} {done.stdout.strip()}"


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dash")
    parser.add_argument("--only", type=lambda text: text.split(","), default=[one.name for one in DASHBOARDS])
    parser.add_argument("--steps", type=int, default=NUM_STEPS)
    parser.add_argument("--turns", type=int, default=NUM_TURNS)
    options = parser.parse_args(argv)
    chosen = [one for one in DASHBOARDS if one.name in options.only]
    path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    results: dict[str, list[dict[str, float]]] = {one.name: [] for one in chosen}
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        for one in chosen:
            write(one, options.steps, Path(place, one.name))
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        for _ in range(options.turns):
            for one in chosen:
                results[one.name].append(measure(one, Path(place, one.name), browser))
                print(one.name, results[one.name][-1], flush=True)
        browser.close()
    rows = []
    for one in chosen:
        found = {key: median(turn[key] for turn in results[one.name]) for key in results[one.name][0]}
        size = f"{found['bytes'] / 1e6:,.2f} MB"
        rows.append(
            [version_of(one), f"{found['up']:.2f} s", f"{found['painted']:.2f} s", size, f"{found['elsewhere']:.0f}"]
        )
    head = ["dashboard", "up", "painted", "bytes", "elsewhere"]
    text = TEXT.format(
        steps=options.steps, series=NUM_SERIES, charts=CHARTS, turns=options.turns, table=table(head, rows)
    )
    print(text)
    if chosen == list(DASHBOARDS) and options.steps == NUM_STEPS and options.turns == NUM_TURNS:
        put("dashboards", text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
