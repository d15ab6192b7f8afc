"""What the page is told."""

import json
import math
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest

import surefoot as sf
from surefoot.dashboard.data.encode import encode
from surefoot.dashboard.data.run_cache import RunCache
from tests.dashboard.client import Client
from tests.dashboard.conftest import EVIL, TRAIN
from tests.runlog.making import FINISHED, RUNNING, LogFile


def get(client: Client, path: str, **params: Any) -> Any:
    answer = client.get(path, params=params)
    assert answer.status_code == 200, answer.text
    return json.loads(answer.text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


def test_runs_are_listed_with_their_curves(client: Client) -> None:
    runs = {row["run"]: row for row in get(client, "/api/runs")["runs"]}
    assert list(runs) == ["20260103-bad", EVIL, TRAIN]
    assert runs["20260103-bad"]["status"] == "unreadable"
    train = runs[TRAIN]
    assert (train["status"], train["updates"], train["ranks"], train["errors"]) == ("finished", 100, 2, 1)
    assert train["last_loss"] == "NaN"
    assert train["best_loss"] == pytest.approx(2 / 99)
    assert 20 < len(train["spark"]) <= 60
    assert train["started"].endswith("Z")


def test_a_folder_that_is_not_there_yet(tmp_path: Path) -> None:
    run_cache = RunCache(tmp_path / "later")
    assert run_cache.rows() == []
    with LogFile(tmp_path / "later" / "a" / "rank-0.db") as file:
        file.log([1], loss=[1.0])
    assert [row["run"] for row in run_cache.rows()] == ["a"]


def test_one_run(client: Client) -> None:
    told = get(client, f"/api/runs/{TRAIN}")
    assert told["ranks"] == [0, 1]
    assert told["meta"]["command"] == '["train.py"]'
    loss = next(one for one in told["series"] if (one["name"], one["rank"]) == ("loss", 0))
    assert (loss["count"], loss["first"], loss["last"], loss["last_value"]) == (100, 1, 100, "NaN")
    assert (loss["low"], loss["high"]) == (pytest.approx(2 / 99), 2.0)
    assert [event["kind"] for event in told["events"]] == ["stop"]
    assert told["cursor"].startswith("rank-0=")


def test_a_short_series_is_told_as_it_is(client: Client) -> None:
    (loss,) = get(client, f"/api/runs/{TRAIN}/series", name="loss")["series"]
    assert loss["is_exact"] and loss["count"] == 100
    assert loss["steps"] == list(range(1, 101))
    assert loss["lows"][0] == loss["highs"][0] == loss["lasts"][0] == 2.0
    assert (loss["lows"][-1], loss["lasts"][-1]) == (None, "NaN")
    assert (loss["nonfinite"], loss["num_nonfinite"]) == ([{"step": 100, "value": "NaN"}], 1)


def test_a_part_in_buckets(client: Client) -> None:
    asked = {"name": ["loss", "acc", "none"], "from": 11, "to": 50, "buckets": 10}
    loss, acc = get(client, f"/api/runs/{TRAIN}/series", **asked)["series"]
    assert not loss["is_exact"] and (loss["count"], acc["count"]) == (40, 40)
    assert loss["steps"] == list(range(14, 51, 4))
    assert (loss["highs"][0], loss["lows"][0]) == (pytest.approx(2 / 11), pytest.approx(2 / 14))
    assert loss["num_nonfinite"] == 0 and loss["nonfinite"] == []


def test_how_far_apart_values_are(client: Client, log: Path) -> None:
    with LogFile(log / "20260104-signals" / "rank-0.db") as file:
        file.log([*range(1, 33), *range(64, 4097, 64)], norm=[1.0] * 96)
        file.log(range(10, 5010, 10), even=[1.0] * 500)
        file.log([7], once=[1.0])
    asked = {"name": ["norm", "even", "once"], "buckets": 100}
    norm, even, once = get(client, "/api/runs/20260104-signals/series", **asked)["series"]
    assert norm["is_exact"] and norm["every"] == [1.0, 64.0]
    assert not even["is_exact"] and even["every"] == [10.0, 10.0]
    assert once["every"] == []


def test_another_rank(client: Client) -> None:
    (loss,) = get(client, f"/api/runs/{TRAIN}/series", name="loss", rank=1)["series"]
    assert (loss["rank"], loss["count"]) == (1, 10)
    assert client.get(f"/api/runs/{TRAIN}/series?name=loss&rank=7").status_code == 404


@pytest.mark.parametrize("query", ["buckets=x", "from=1e999", "rank=a", "&".join(["name=a"] * 501)])
def test_wrong_numbers_are_told(client: Client, query: str) -> None:
    answer = client.get(f"/api/runs/{TRAIN}/series?name=loss&{query}")
    assert answer.status_code == 400
    assert "must be" in answer.json()["error"] or "at most" in answer.json()["error"]


def test_findings_without_an_excerpt(client: Client) -> None:
    (finding,) = get(client, f"/api/runs/{TRAIN}/findings")["findings"]
    assert (finding["rule"], finding["rank"], finding["count"]) == ("stale-gradients", 0, 5)
    assert finding["evidence"] == {"params": 2}
    assert finding["excerpt"] is None


def test_the_server_opens_no_file_that_a_log_names(client: Client, log: Path) -> None:
    with LogFile(log / "crafted" / "rank-0.db") as file:
        secret = str(log.parent / "secret.txt")
        file.finding(0, ("stale-gradients", "error", "m", "w", "f", secret, 1, 1, 1, "{}"))
    text = client.get("/api/runs/crafted/findings").text
    assert "secret.txt" in text and '"secret"' not in text


def test_a_damaged_part_is_told_and_the_rest_is_shown(client: Client, log: Path) -> None:
    with LogFile(log / "damaged" / "rank-0.db") as file:
        file.log([1], loss=[1.0])
        file.record("SignalFacts", 1, "{no json")
        file.connection.execute(
            "INSERT INTO chunks (layout, num_steps, steps, times, vals) VALUES (1, 3, x'01', x'02', x'03')"
        )
    answer = client.get("/api/runs/damaged/heatmap?of=act_mean")
    assert answer.status_code == 422 and "can't be read" in answer.json()["error"]
    assert client.get("/api/runs/damaged/series?name=loss").status_code == 422
    told = get(client, "/api/runs/damaged")
    assert told["run"]["run"] == "damaged" and told["problems"]
    assert any(row["run"] == "damaged" for row in get(client, "/api/runs")["runs"])


def test_parameters_that_are_tracked(client: Client, log: Path) -> None:
    with LogFile(log / "tracked" / "rank-0.db") as file:
        layout = file.series("fc.weight", kind="param", place="0,1")
        file.chunk(layout, [(step, step, [step / 2]) for step in range(1, 5)])
    (param,) = get(client, "/api/runs/tracked/params")["params"]
    assert (param["name"], param["place"], param["values"]) == ("fc.weight", "0,1", [0.5, 1, 1.5, 2])


def test_two_runs_side_by_side(client: Client, log: Path) -> None:
    with LogFile(log / "other" / "rank-0.db", {**FINISHED, "script": "eval.py"}) as file:
        file.log(range(1, 4), loss=[2.0, 1.0, 9.0], step_seconds=[1.0, 1.0, 1.0])
    told = get(client, "/api/compare", run=[TRAIN, "other"])
    assert {"name": "script", "a": "train.py", "b": "eval.py"} in told["settings"]
    loss = next(one for one in told["series"] if one["name"] == "loss")
    assert (loss["last_a"], loss["last_b"], loss["first_difference"]) == ("NaN", 9.0, 3)
    assert told["first_difference"] == 3
    assert client.get(f"/api/compare?run={TRAIN}").status_code == 400


def test_a_rules_page_in_parts(client: Client) -> None:
    page = get(client, "/api/rules/stale-gradients")
    assert page["severity"] == "error"
    assert {"what", "why", "when"} <= page["sections"].keys()
    assert page["bad"].startswith("import torch") and page["bad"] != page["good"]
    assert client.get("/api/rules/nothing").status_code == 404


@pytest.mark.parametrize(
    "name",
    [
        "nothing",
        "..",
        "%2e%2e",
        "..%2f..%2fsecret.txt",
        "%2fetc",
        "checkpoints",
        "..%5c..",
        "a%00b",
        ".",
        "%2e%2e%2fruns",
    ],
)
@pytest.mark.parametrize("rest", ["", "/series?name=loss", "/findings"])
def test_no_name_leads_out_of_the_folder(client: Client, name: str, rest: str) -> None:
    answer = client.get(f"/api/runs/{name}{rest}")
    assert answer.status_code in (400, 404) or answer.json().keys() == {"runs", "folder", "can_edit"}


@pytest.mark.parametrize("path", ["../server/door.py", "%2e%2e/server/door.py", "..%2fserver%2fdoor.py", "", "script"])
def test_static_files_are_those_of_the_page(client: Client, path: str) -> None:
    assert client.get(f"/static/{path}").status_code == 404


def test_static_files_are_fetched_once(client: Client) -> None:
    first = client.get("/static/index.html")
    assert client.get("/static/index.html", headers={"If-None-Match": first.headers["etag"]}).status_code == 304


def test_what_a_run_is_called_is_data(client: Client) -> None:
    """Answers are JSON, never HTML: what is in them runs nowhere."""
    answer = client.get(f"/api/runs/{quote(EVIL, safe='')}")
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["run"]["script"] == "<script>alert(1)</script>"
    assert any("alert" in one["name"] for one in answer.json()["series"])


def test_nothing_not_finite_is_lost(client: Client) -> None:
    (loss,) = get(client, f"/api/runs/{quote(EVIL, safe='')}/series", name="loss")["series"]
    assert loss["lasts"] == [1.0, "Infinity"]
    assert loss["nonfinite"] == [{"step": 2, "value": "Infinity"}]
    assert math.isfinite(loss["times"][0])


def test_columns_of_all_runs_are_told_by_name(tmp_path: Path) -> None:
    for rate in (0.1, 0.2):
        with sf.start_run(tmp_path, config={"lr": rate, "layers": [1]}, group="rates", tags="try") as run:
            for step, acc in enumerate([0.5, 1 / 3, math.nan, rate]):
                run.log({"acc": acc, "never": math.nan}, step=step)
    run_cache = RunCache(tmp_path)
    told = run_cache.columns(["lr", "none"], [], with_metrics=False)
    assert (told["settings"], told["metrics"]) == (["layers", "lr"], [])
    assert sorted(one["lr"] for one in told["runs"].values()) == [0.1, 0.2]
    assert [set(one) for one in told["runs"].values()] == [{"lr"}] * 2
    assert {(row["run_group"], row["tags"]) for row in run_cache.rows()} == {("rates", "try")}

    wanted = ["last:acc", "low:acc", "high:acc", "last:never", "low:never", "low:none", "sum:acc", "acc"]
    told = json.loads(encode(run_cache.columns([], wanted, with_metrics=True)))
    assert (told["metrics"], told["is_whole"]) == (["acc", "never"], True)
    slow = next(one for one in told["runs"].values() if one["last:acc"] == 0.2)
    assert slow == {"last:acc": 0.2, "low:acc": 0.2, "high:acc": 0.5, "last:never": "NaN"}
    fast = next(one for one in told["runs"].values() if one["last:acc"] == 0.1)
    assert fast["low:acc"] == 0.1


def test_metrics_have_all_their_digits_and_follow_a_run(client: Client, log: Path) -> None:
    with LogFile(log / "20260105-more" / "rank-0.db", RUNNING) as file:
        file.log([1], acc=[1 / 3])
        (one,) = get(client, "/api/columns", metric="last:acc")["runs"].keys() - {TRAIN}
        assert get(client, "/api/columns", metric="last:acc")["runs"][one] == {"last:acc": 1 / 3}
        file.log([2], acc=[2 / 3])
        assert get(client, "/api/columns", metric=["last:acc", "low:acc"])["runs"][one] == {
            "last:acc": 2 / 3, "low:acc": 1 / 3,
        }  # fmt: skip


SCRIPT = "<script>document.title = 'run by a text'</script>"


def test_media_are_served_as_what_they_are_and_can_do_nothing(client: Client, log: Path) -> None:
    with sf.start_run(log, name="media") as run:
        run.log({"picture": np.zeros((2, 2, 3), np.uint8), "text": SCRIPT, "table": sf.Table([SCRIPT], [[SCRIPT]])})
    base = f"/api/runs/{run.name}/media"
    listed = {one["name"]: one for one in get(client, base)["media"]}
    assert get(client, f"/api/runs/{run.name}")["has_media"] and not get(client, f"/api/runs/{TRAIN}")["has_media"]
    types = {"picture": "image/png", "text": "text/plain; charset=utf-8", "table": "application/json"}
    for name, kind in types.items():
        answer = client.get(f"{base}/rank-0/{listed[name]['file']}")
        assert (answer.status_code, answer.headers["content-type"]) == (200, kind)
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox"
    for wrong in ("rank-0/../rank-0.db", "rank-0/rank-0.db", f"rank-1/{listed['text']['file']}", "rank-0/%2e%2e"):
        assert client.get(f"{base}/{wrong}").status_code == 404
    (log / run.name / "rank-0.media" / listed["text"]["file"]).write_text("changed", encoding="utf-8")
    assert client.get(f"{base}/rank-0/{listed['text']['file']}").status_code == 422
