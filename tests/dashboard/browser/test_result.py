"""Results of check, verify, fix and compare --bisect, drawn as runs."""

from typing import Any

from playwright.sync_api import Page, expect

from surefoot.runlog.write.result import ResultRun
from tests.dashboard.browser.conftest import Dash
from tests.dashboard.browser.looking import show

CHECKS = [
    {"name": "overfits-one-batch", "verdict": "fail", "why": "It <b>rose</b>.",
     "evidence": {"last_loss": 2.5, "by": [1]}, "seconds": 3.0},
    {"name": "equal-seeds-agree", "verdict": "pass", "why": "They agree.", "evidence": {}, "seconds": 1.0},
    {"name": "resume-is-equivalent", "verdict": "not-tested", "why": "Say how.", "evidence": {}, "seconds": 0.0},
]  # fmt: skip
OTHER = {"meaning": "divide it", "diff": "+loss = loss / 4\n", "loss_before": 1.0, "loss_after": "nan"}
PATCH = {
    "rule": "stale-gradients", "line": 3, "file": None, "meaning": "clear them", "loss_before": 1.0, "loss_after": None,
    "diff": "--- a/t.py\n+++ b/t.py\n@@ -1 +1 @@\n-old\n+new\n kept\n", "alternative": OTHER,
}  # fmt: skip
ROW = {"step": 1, "quantity": "updates", "compared": "4", "farthest": "fc.bias", "difference": "2", "tolerance": "1e-7"}


def keep(dash: Dash, of: str, summary: str, **result: Any) -> str:
    return ResultRun(dash.folder, of, "t.py", print).write(summary, result, 1).name


def test_checks(page: Page, dash: Dash) -> None:
    show(page, dash, "run", keep(dash, "check", "1 passed, 1 failed.", checks=CHECKS))
    expect(page.get_by_role("link", name="Checks", exact=True)).to_have_attribute("aria-current", "page")
    expect(page.locator(".result-summary")).to_have_text("1 passed, 1 failed.")
    expect(page.locator(".check .badge")).to_have_text(["✕fail", "✓pass", "\N{EN DASH}not tested"])
    expect(page.locator(".check.fail")).to_contain_text("It <b>rose</b>.")
    expect(page.locator(".check.fail .evidence")).to_have_text("last loss2.5")
    page.get_by_role("link", name="Curves").click()
    expect(page.locator(".check")).to_have_count(0)
    expect(page.locator("aside")).not_to_contain_text("overfits-one-batch")


def test_comparisons(page: Page, dash: Dash) -> None:
    rows = [{**ROW, "beyond": "-"}, {**ROW, "beyond": "3"}]
    told = {"reference": ["t.py"], "other": ["t.py"], "preset": "fused", "rows": rows, "not_compared": ["a: b"]}
    show(page, dash, "run", keep(dash, "verify", "The runs differ.", **told))
    expect(page.locator(".compared")).to_contain_text("t.py (fused)")
    expect(page.locator("tr.beyond")).to_have_text("1updates43fc.bias21e-7")
    expect(page.locator(".result")).to_contain_text("Not compared: a: b.")
    one = keep(dash, "check", "", checks=[])
    show(page, dash, "run", keep(dash, "compare", "The reruns agree.", runs=[one, one], agrees=True))
    expect(page.locator(".result a").first).to_have_text(one)


def test_patches_and_what_a_newer_surefoot_tells(page: Page, dash: Dash) -> None:
    unpatched = [{"rule": "graph-cut", "line": None, "why": "no patch is known", "fix": "keep the graph."}]
    show(page, dash, "run", keep(dash, "fix", "1 proven patch", patches=[PATCH], unpatched=unpatched))
    expect(page.locator(".check.pass h2")).to_have_text("stale-gradients, line 3")
    expect(page.locator(".diff").first.locator("code")).to_have_count(6)
    expect(page.locator(".diff .removed")).to_have_text("-old")
    expect(page.locator(".diff .added")).to_have_text(["+new", "+loss = loss / 4"])
    expect(page.locator(".patch")).to_contain_text("final loss 1 → not seen.")
    expect(page.locator(".patch")).to_contain_text("final loss 1 → nan.")
    expect(page.locator(".check.fail")).to_have_text("graph-cutNot patched: no patch is known.By hand: keep the graph.")
    show(page, dash, "run", keep(dash, "divine", "It is so."))
    expect(page.locator(".result")).to_contain_text("Update surefoot to see all of it.")


def test_markup_in_results_stays_text(page: Page, dash: Dash) -> None:
    alerts: list[str] = []
    page.on("dialog", lambda dialog: (alerts.append(dialog.message), dialog.dismiss()))
    evil = "<img src=x onerror=alert(1)>"
    check = {"name": evil, "verdict": "fail", "why": evil, "evidence": {evil: evil}, "seconds": 1.0}
    row = {**dict.fromkeys(ROW, evil), "step": 1, "beyond": "3"}
    patch = {**PATCH, "rule": evil, "file": evil, "meaning": evil, "diff": f"-{evil}\n+{evil}\n", "alternative": None}
    unpatched = [{"rule": evil, "line": 3, "why": evil, "fix": evil}]
    for of, told in {
        "check": {"checks": [check, {**check, "verdict": evil}]},
        "verify": {"reference": [evil], "other": [evil], "preset": evil, "rows": [row], "not_compared": [evil]},
        "fix": {"patches": [patch], "unpatched": unpatched},
        "compare": {
            "runs": [evil, evil],
            "agrees": False,
            "first": dict.fromkeys(("name", "where", "operation"), evil),
        },
    }.items():
        show(page, dash, "run", keep(dash, of, evil, **told))
        expect(page.locator(".result")).to_contain_text(evil)
        assert page.locator("img[onerror]").count() == 0
    assert not alerts
