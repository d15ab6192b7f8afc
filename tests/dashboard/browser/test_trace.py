"""The page that draws what a step does."""

import json
import re
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.dashboard.browser.conftest import Dash
from tests.dashboard.browser.looking import show

EVIL = "<img src=x onerror=alert(1)>"


def keep(dash: Dash, name: str, **changed: Any) -> str:
    """A trace by hand."""
    folder = dash.folder / "traces"
    folder.mkdir(exist_ok=True)
    whole = {
        "format": 1, "script": "by_hand.py", "command": ["by_hand.py"], "folder": "",
        "started": "2026-01-01T00:00:00+00:00",
        "first": 1, "num_steps": 1, "num_taken": 1, "ended": "finished", "optimizers": [{"id": 1, "name": "SGD"}],
        "source": [], "stages": [], "num_left_out": 0, "epochs": [], "off": {}, **changed,
    }  # fmt: skip
    (folder / f"{name}.json").write_text(json.dumps(whole), encoding="utf-8")
    return name


def stage(page: Page, kind: str, number: int = 0) -> Locator:
    return page.locator(f".kind-{kind} > a.stage").nth(number)


def test_a_step_is_drawn_from_data_to_schedule(page: Page, dash: Dash, traced: str) -> None:
    show(page, dash)
    page.get_by_role("link", name="Trace", exact=True).click()
    page.get_by_role("link", name=traced).click()
    expect(page.locator("h1")).to_have_text("Trace of traced.py")
    expect(page.locator(".window-title")).to_contain_text("Window of 2 micro-batches")
    expect(page.locator(".micro-batch")).to_have_count(2)
    kinds = page.locator("a.stage .stage-kind").all_text_contents()
    assert kinds == [
        "pass", "data", "forward", "loss", "backward", "data", "forward", "loss", "backward",
        "clip", "step", "schedule", "clear",
    ]  # fmt: skip
    expect(stage(page, "backward")).to_contain_text(re.compile(r"gradient normnone→\d"))
    expect(stage(page, "clip")).to_contain_text("nn.utils.clip_grad_norm_")
    expect(stage(page, "schedule")).to_contain_text("rate0.1→0.05")
    expect(page.locator(".trace-epochs tbody tr")).to_have_count(9)
    expect(page.locator(".trace-epochs")).to_contain_text("mse, without gradients")


def test_optimizers_have_lanes_and_findings_are_shown(page: Page, dash: Dash, traced: str) -> None:
    show(page, dash, "trace", traced)
    expect(page.locator(".lane-name")).to_have_text(["SGD (optimizer 1)", "Adam (optimizer 2)"])
    page.get_by_role("link", name="Step 2").click()
    expect(page.locator(".trace-flow h2")).to_contain_text("Step 2: Adam (optimizer 2), its update 1")
    page.get_by_role("link", name="Step 4").click()
    expect(page.locator(".knot .stage-finding").first).to_contain_text("stale-gradients")
    expect(page.get_by_role("link", name="Step 4")).to_have_attribute("aria-current", "page")


def test_a_stage_opens_its_table_and_the_link_keeps_it(page: Page, dash: Dash, traced: str) -> None:
    show(page, dash, "trace", traced)
    stage(page, "backward", 1).click()
    panel = page.locator(".trace-side .trace-detail")
    expect(panel.locator("tbody tr")).to_have_count(12)
    first = panel.locator("tbody tr").first
    expect(first).to_contain_text("0.weight")
    expect(first).to_contain_text("1, 2")  # from both backwards
    panel.get_by_role("button", name="After").click()
    norms = [float(text) for text in panel.locator("tbody tr td:nth-child(4)").all_text_contents()]
    assert norms == sorted(norms, reverse=True) and len(set(norms)) > 1
    panel.get_by_role("searchbox").fill("8 bias")
    expect(panel.locator("tbody tr")).to_have_count(1)
    address = page.url
    assert "step=1" in address and "stage=9" in address and "sort=-after" in address
    page.goto("about:blank")
    page.goto(address)
    expect(page.locator(".trace-side tbody tr")).to_have_count(1)
    expect(page.locator("a.stage[aria-current]")).to_contain_text("number 2")
    page.get_by_role("link", name="All traces").click()
    expect(page.locator("table.traces")).to_be_visible()


def test_the_keyboard_walks_from_stage_to_stage(page: Page, dash: Dash, traced: str) -> None:
    show(page, dash, "trace", traced)
    stage(page, "pass").focus()
    for _ in range(2):
        page.keyboard.press("ArrowDown")
    expect(stage(page, "forward")).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.locator(".trace-side .trace-detail")).to_contain_text("Parts of the batch")
    expect(stage(page, "data")).to_be_focused()


def test_on_a_phone_a_stage_opens_below_itself(page: Page, dash: Dash, traced: str) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    show(page, dash, "trace", traced)
    expect(stage(page, "step")).to_be_visible()
    expect(page.locator(".trace-detail")).to_have_count(0)
    stage(page, "step").click()
    expect(page.locator(".kind-step > .trace-detail")).to_contain_text("Weights")
    page.set_viewport_size({"width": 1400, "height": 800})
    expect(page.locator(".trace-side .trace-detail")).to_contain_text("Weights")


def test_hundreds_of_modules_and_thousands_of_stages(page: Page, dash: Dash) -> None:
    call = {"given": [[8, 4]], "output": [[8, 4]], "dtype": "float32", "mean": 0.0, "spread": 1.0, "num_bad": 0}
    calls = [
        {**call, "name": f"layers.{i}", "module": "Linear", "depth": 1, "seconds": i / 1e6, "num_bytes": i}
        for i in range(900)
    ]
    site = {"file": "/x/by_hand.py", "line": 3, "function": "main"}
    forward = {
        "kind": "forward",
        "step": 1,
        "site": site,
        "inside_step": None,
        "model": "Net",
        "training": True,
        "given": [],
        "output": [],
        "num_left_out": 0,
    }
    clear = {
        "kind": "clear",
        "step": 1,
        "site": site,
        "inside_step": None,
        "optimizer": 1,
        "name": "SGD",
        "model": "",
        "set_to_none": True,
        "changes": [],
        "num_unused": 0,
    }
    stages = [
        {**forward, "calls": calls},
        *[dict(clear) for _ in range(3000)],
        *[{**forward, "calls": calls[:1]} for _ in range(1000)],
    ]
    name = keep(dash, "20260101-000000-big-000000", stages=stages)
    show(page, dash, "trace", name)
    expect(page.locator("a.stage")).to_have_count(200)
    expect(page.locator(".trace-side tbody tr")).to_have_count(150)
    page.get_by_role("searchbox").fill("layers.89")
    expect(page.locator(".trace-side tbody tr")).to_have_count(11)
    show(page, dash, "trace", name, stage=3100)
    expect(page.locator("a.stage[aria-current]")).to_contain_text("1000 in a row")
    expect(page.locator(".trace-detail h2")).to_contain_text("the first of 1000 in a row")


def test_what_a_file_says_is_text(page: Page, dash: Dash) -> None:
    site = {"file": f"/x/{EVIL}.py", "line": 3, "function": EVIL}
    change = {
        "name": EVIL,
        "shape": [1],
        "before": 1.0,
        "after": "NaN",
        "moved": "NaN",
        "values_before": [1.0],
        "values_after": ["NaN"],
        "gradient": None,
        "sources": [1],
        "used_by": [],
    }
    step = {
        "kind": "step", "step": 1, "site": site, "inside_step": None, "optimizer": 1, "name": EVIL,
        "update": 1, "settings": {EVIL: [1.0]}, "rates": [0.1], "closure": False, "skipped": False, "window": [1],
        "changes": [change], "num_without_gradient": 0,
        "findings": [f"error[stale-gradients] {EVIL}", EVIL],
    }  # fmt: skip
    source = [{"file": site["file"], "line": 3, "text": EVIL}]
    name = keep(dash, "20260101-000000-evil-000000", script=EVIL, stages=[step], source=source, off={EVIL: EVIL})
    show(page, dash, "trace", name)
    expect(page.locator("h1")).to_have_text(f"Trace of {EVIL}")
    expect(page.locator(".trace-side tbody tr")).to_contain_text(EVIL)
    expect(page.locator(".knot .stage-finding")).to_have_count(2)
    assert page.locator("main img").count() == 0


def test_a_file_that_is_damaged_or_gone_is_said(page: Page, dash: Dash, complaints: list[str]) -> None:
    name = keep(dash, "20260101-000000-broken-000000")
    (dash.folder / "traces" / f"{name}.json").write_text('{"format": 1,', encoding="utf-8")
    show(page, dash, "trace", name)
    expect(page.get_by_role("alert")).to_contain_text("is damaged")
    show(page, dash, "trace", "none")
    expect(page.get_by_role("alert")).to_contain_text("there is no trace 'none'")
    show(page, dash, "trace")
    expect(page.locator("tr", has_text=name)).to_contain_text("is damaged")
    complaints[:] = [text for text in complaints if "status of 4" not in text]  # the browser tells of these, too


def test_without_traces_the_command_is_told(page: Page, dash: Dash, tmp_path: Path) -> None:
    page.route("**/api/traces", lambda route: route.fulfill(json={"traces": [], "folder": str(tmp_path)}))
    show(page, dash, "trace")
    expect(page.locator(".empty")).to_contain_text("surefoot trace train.py")
