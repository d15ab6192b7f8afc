"""Each page, with runs of real training."""

import re
import shutil
import subprocess
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, expect

from tests.dashboard.browser.conftest import Dash, surefoot
from tests.dashboard.browser.looking import drag, drawn_in, points, show
from tests.runlog.making import LogFile


def test_runs_are_listed_filtered_sorted_and_picked(page: Page, dash: Dash) -> None:
    show(page, dash)
    rows = page.locator("table.runs tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.filter(has_text="buggy")).to_contain_text("1 error")
    expect(rows.filter(has_text="good").locator(".spark path")).to_have_count(1)
    page.get_by_role("button", name="Last").click()
    expect(rows.first).to_contain_text("buggy")  # the higher loss
    expect(page.locator("th[aria-sort=descending]")).to_contain_text("Last")
    page.get_by_label("Filter runs").fill("good")
    expect(rows).to_have_count(1)
    page.reload()
    expect(rows).to_have_count(1)  # the address keeps it
    page.get_by_label("Filter runs").fill("")
    for box in page.get_by_role("checkbox").all():
        box.check()
    page.get_by_role("button", name="Compare 2").click()
    expect(page.locator("h1")).to_have_text("Compare")


def test_curves_are_drawn_and_told(page: Page, dash: Dash) -> None:
    show(page, dash, "run", dash.run("good"))
    loss = page.get_by_role("region", name="Loss", exact=True)
    expect(loss.locator(".legend")).to_contain_text("val/loss")
    assert sorted(points(loss)) == [6, count_of(page, "loss")]  # whichever is drawn first
    expect(page.get_by_role("complementary", name="About the run")).to_contain_text("good.py")
    expect(page.locator(".run-facts")).to_contain_text("120")


def test_what_was_not_sampled_is_not_drawn(page: Page, dash: Dash) -> None:
    sampled = [*range(1, 9), *range(12, 150, 12), *range(264, 401, 12)]
    run = dash.folder / "20260101-sampled"
    with LogFile(run / "rank-0.db") as file:
        file.log(sampled, grad_norm=[1.0] * len(sampled))
        file.log(range(1, 401), loss=[1.0] * 400)
        file.log(range(2, 401, 2), **{"optimizer-2/loss": [1.0] * 200})
    try:
        show(page, dash, "run", run.name)
        norm = page.get_by_role("region", name="Gradient norm", exact=True)
        loss = page.get_by_role("region", name="Loss", exact=True)
        expect(norm.locator(".every")).to_have_text(re.compile("every 1.12 steps"))
        expect(loss.locator(".every")).to_have_text(["", "every 2 steps"])
        assert [lines_of(norm), lines_of(loss)] == [[[1, 144], [264, 396]], [[1, 400]]]
        assert [value_at(norm, step) for step in (140, 144, 200, 264)] == [1, 1, None, 1]
    finally:
        shutil.rmtree(run)


def lines_of(chart: Locator) -> list[list[int]]:
    """From where to where the first curve's line goes without a break."""
    points(chart)
    found: list[list[int]] = chart.evaluate(
        """(chart) => {
            const { breaks, steps } = chart.card.curves[0];
            const cuts = [0, ...breaks, steps.length];
            return cuts.slice(1).map((end, i) => [steps[cuts[i]], steps[end - 1]]);
        }"""
    )
    return found


def value_at(chart: Locator, step: int) -> float | None:
    found: float | None = chart.evaluate("(chart, step) => chart.card.curves[0].valueAt(step, 'step')", step)
    return found


def count_of(page: Page, name: str) -> int:
    found = page.evaluate(
        "async (name) => (await (await fetch(`api/runs/${location.hash.split('/')[2]}`)).json())"
        ".series.find((one) => one.name === name).count",
        name,
    )
    return int(found)


def test_zoom_asks_again_for_all_charts_and_back_undoes_it(page: Page, dash: Dash) -> None:
    show(page, dash, "run", dash.run("good"))
    odd = page.get_by_role("region", name="odd", exact=True)
    odd.scroll_into_view_if_needed()
    assert points(odd) == [120]
    with page.expect_request(lambda request: "from=" in request.url and "name=odd" in request.url) as asked:
        drag(page, odd, 0.25, 0.5)
    assert "to=" in asked.value.url
    expect(page.locator(".zoom-out")).to_be_visible()
    assert 20 < points(odd)[0] < 40
    page.go_back()
    expect(page.locator(".zoom-out")).to_be_hidden()
    assert points(odd) == [120]
    drag(page, odd, 0.25, 0.5)
    expect(page.locator(".zoom-out")).to_be_visible()
    odd.locator(".u-over").dblclick(position={"x": 60, "y": 60})
    expect(page.locator(".zoom-out")).to_be_hidden()


def test_one_cursor_runs_through_all_charts(page: Page, dash: Dash) -> None:
    show(page, dash, "run", dash.run("good"))
    loss, rate = (page.get_by_role("region", name=name, exact=True) for name in ("Loss", "Learning rate"))
    assert points(loss)
    assert points(rate)
    before = loss.locator(".value").first.inner_text()
    rate.locator(".u-over").hover(position={"x": 5, "y": 60})
    expect(loss.locator(".value").first).not_to_have_text(before)
    expect(loss.locator(".at")).to_contain_text("step ")


def test_values_that_are_not_finite_are_marked(page: Page, dash: Dash) -> None:
    show(page, dash, "run", dash.run("good"))
    odd = page.get_by_role("region", name="odd", exact=True)
    odd.scroll_into_view_if_needed()
    assert points(odd) == [120]
    expect(odd).to_contain_text("4 values not finite, the first at step 40")
    assert drawn_in(odd, "error")
    loss = page.get_by_role("region", name="Loss", exact=True)
    assert not drawn_in(loss, "error")


def test_smoothing_log_scale_and_time_are_kept_by_the_address(page: Page, dash: Dash) -> None:
    show(page, dash, "run", dash.run("good"))
    page.get_by_role("button", name="Time").click()
    page.get_by_label("Log scale", exact=True).check()
    page.get_by_label("Smoothing").fill("0.9")
    loss = page.get_by_role("region", name="Loss", exact=True)
    expect(loss.get_by_role("button", name="log scale for Loss")).to_have_attribute("aria-pressed", "true")
    page.reload()
    assert points(loss)
    board = loss.evaluate("({ card: { board } }) => [board.axis, board.smoothing, board.isAllLog]")
    assert board == ["time", 0.9, True]


def test_series_are_searched(page: Page, dash: Dash) -> None:
    show(page, dash, "run", dash.run("good"))
    page.get_by_label("Search series").fill("grad_norm 2.")
    expect(page.locator(".chart")).to_have_count(2)
    expect(page.locator(".chart h3").first).to_have_text("grad_norm/2.weight")


def test_a_mark_opens_the_finding_with_its_evidence(page: Page, dash: Dash) -> None:
    show(page, dash, "run", dash.run("buggy"))
    page.locator(".mark.error").first.click()
    card = page.locator("details.finding.error[open]")
    expect(card).to_contain_text("gradients-cleared-before-step")
    expect(card.locator(".excerpt .here")).to_contain_text("optimizer.zero_grad()")
    expect(card.locator(".evidence")).to_contain_text("params")
    expect(card).to_contain_text("What to do")
    card.get_by_text("About the rule").click()
    expect(card.locator(".program")).to_have_count(2)
    expect(page.get_by_role("region", name="Timeline of findings").get_by_role("button")).not_to_have_count(0)


def test_the_worst_finding_is_open_and_the_page_stays_at_its_top(page: Page, dash: Dash) -> None:
    page.set_viewport_size({"width": 1000, "height": 400})
    show(page, dash, "run", dash.run("buggy"), "findings")
    card = page.locator("details.finding").first
    expect(card.locator(".excerpt")).to_be_visible()
    assert page.evaluate("scrollY") == 0
    card.locator("h2").click()
    expect(card.locator(".excerpt")).to_be_hidden()
    page.reload()
    card.locator("summary").first.press("Enter")  # the worst is open again, and is closed by the keyboard
    expect(card.locator(".excerpt")).to_be_hidden()


def test_gradients_are_a_heatmap_whose_rows_open(page: Page, dash: Dash) -> None:
    show(page, dash, "run", dash.run("good"), "gradients")
    heat = page.locator(".heat-cells canvas")
    heat.hover(position={"x": 200, "y": 10})
    expect(page.locator(".heat-read")).to_contain_text("0.weight · step")
    heat.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".heat-read")).to_contain_text("2.weight")
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="2.weight: gradient norm")).to_be_visible()
    expect(page.get_by_role("region", name="gradients of 2.weight")).to_contain_text("histograms")
    page.get_by_label("What is shown").select_option("act_spread")
    expect(page.locator(".heat-unit")).to_contain_text("Standard deviation")
    expect(page.locator(".heat-labels button")).not_to_have_count(0)


def test_parameters_have_tracked_values_and_norms(page: Page, dash: Dash) -> None:
    show(page, dash, "run", dash.run("good"), "parameters")
    expect(page.get_by_role("region", name="2.bias", exact=True).locator(".legend li")).to_have_count(4)
    page.get_by_role("button", name="0.weight").click()
    expect(page.get_by_role("region", name="0.weight: norm")).to_be_visible()
    page.get_by_label("Filter parameters").fill("bias")
    expect(page.locator("table.params tbody tr")).to_have_count(2)


def test_two_runs_are_compared(page: Page, dash: Dash) -> None:
    show(page, dash, "compare", run=[dash.run("good"), dash.run("buggy")])
    loss = page.get_by_role("region", name="loss", exact=True)
    expect(loss.locator(".legend li")).to_have_count(2)
    assert len(points(loss)) == 2
    expect(page.get_by_text("They differ from step")).to_be_visible()
    expect(page.locator(".small-table").first).to_contain_text("good.py")


def test_sql_answers_with_a_table_and_a_chart(page: Page, dash: Dash) -> None:
    show(page, dash, "query", sql="select step, value from scalars where name = 'odd' and run like '%good%'")
    expect(page.get_by_role("heading", name="120 rows")).to_be_visible()
    chart = page.get_by_role("region", name="value by step")
    assert points(chart) == [120]
    expect(chart).to_contain_text("4 values not finite")


def test_a_question_that_fails_is_told(page: Page, dash: Dash, complaints: list[str]) -> None:
    show(page, dash, "query")
    page.get_by_label("SQL").fill("select * from nothing")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text("nothing")
    complaints.clear()  # a browser notes every answer that is an error


def test_a_chart_is_saved_as_picture_and_as_table(page: Page, dash: Dash) -> None:
    show(page, dash, "run", dash.run("good"))
    odd = page.get_by_role("region", name="odd", exact=True)
    points(odd)
    with page.expect_download() as table:
        odd.get_by_role("button", name="Save odd as CSV").click()
    lines = Path(table.value.path()).read_text(encoding="utf-8").splitlines()
    assert lines[0] == "run,rank,name,step,time,low,high,last"
    assert len(lines) == 121
    assert lines[40].endswith("nan,nan,nan")
    assert lines[50].endswith("inf,inf,inf")
    with page.expect_download() as picture:
        odd.get_by_role("button", name="Save odd as PNG").click()
    assert Path(picture.value.path()).read_bytes().startswith(b"\x89PNG")
    assert picture.value.suggested_filename == "odd.png"


def test_a_report_is_the_same_page_in_one_file(browser: Browser, dash: Dash, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    command = surefoot("report", dash.run("buggy"), "--log", dash.folder, "-o", file)
    subprocess.run(command, check=True, capture_output=True)
    complaints: list[str] = []
    with browser.new_context() as context:
        page = context.new_page()
        page.on("console", lambda message: message.type == "error" and complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: request.url.startswith("http") and complaints.append(request.url))
        page.goto(file.as_uri())
        assert points(page.get_by_role("region", name="odd", exact=True)) == [120]
        page.locator("nav.tabs").get_by_text("Gradients").click()
        expect(page.locator(".heat-labels button")).to_have_count(4)
        page.locator("nav.tabs").get_by_text("Findings").click()
        expect(page.locator(".excerpt .here").first).to_contain_text("zero_grad")
    assert not complaints
