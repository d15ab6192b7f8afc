"""When alerts would have been sent over an old run."""

from surefoot.alerts.dry_run import Row, dry_run
from surefoot.alerts.when import read_wanted
from tests.cli.command import make_finding

ROWS: list[Row] = [(1000.0 + step, step, ("loss",), (9.0 if step > 50 else 1.0,)) for step in range(1, 101)]


def test_rows_and_findings_in_their_order() -> None:
    wanted = read_wanted(["error", "loss > 3 for 10 steps", "los > 3"])
    findings = [
        (1099.0, make_finding(step=99)),
        (1005.0, make_finding(step=5, file="a.py")),
        (1200.0, make_finding(line=7)),
    ]
    found = dry_run(wanted, ROWS, findings, 1200.0)
    assert [(alert.step, alert.time) for alert in found.alerts] == [(5, 1005.0), (61, 1061.0), (99, 1099.0)]
    assert found.num_held == 1  # the last is the same cause as the one before
    assert found.unseen == ["los"]


def test_what_came_true_while_nothing_was_logged() -> None:
    rows = [ROWS[0], (2000.0, 2, ("loss",), (1.0,))]
    found = dry_run(read_wanted(["age(loss) > 500"]), rows, [], 5000.0)
    assert [alert.time for alert in found.alerts] == [2000.0, 5000.0]
