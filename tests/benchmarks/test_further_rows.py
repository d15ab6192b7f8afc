"""What the page says of the further rows is what a run of them gives."""

import re
from pathlib import Path

from benchmarks.conformance.further import habits, losses
from benchmarks.conformance.further.page import TITLE, replace_section, section
from benchmarks.conformance.further.row import Mark, NotEqual, Outcome, Row, outcome_of

PAGE = Path(__file__).parents[2] / "docs" / "conformance.md"


def test_the_page_is_that_of_a_run() -> None:
    found = [(row, outcome_of(row)) for row in (*losses.rows(), *habits.rows())]
    told = re.findall(r"^\| .* \| \*+(\w+)\*+", PAGE.read_text().partition(f"\n{TITLE}\n")[2], re.MULTILINE)
    assert told == [outcome.mark for _, outcome in found]


def test_only_what_says_what_to_do_is_refused() -> None:
    def wrong() -> None:
        raise NotEqual("weights off by 1")

    def broken() -> None:
        raise ValueError("of torch")

    for run, mark in ((wrong, Mark.WRONG), (broken, Mark.BROKEN), (lambda: None, Mark.RIGHT)):
        row = Row("a row", run)
        assert outcome_of(row).mark is mark
        assert outcome_of(row).is_right(row) == (mark is Mark.RIGHT)
    silent = Row("a row", lambda: None, Mark.TOLD)
    assert outcome_of(silent) == Outcome(Mark.WRONG, "nothing said")


def test_the_section_is_replaced() -> None:
    row = Row("a row", lambda: None, is_own=True)
    once = replace_section("# Page\n\ntext\n", section({"Losses": [(row, Outcome(Mark.REFUSED))]}))
    assert once.startswith("# Page\n\ntext\n\n## Further rows\n")
    assert "| a row \\* | the update of one batch | **refused** |" in once
    assert replace_section(once, section({"Losses": [(row, Outcome(Mark.REFUSED))]})) == once
