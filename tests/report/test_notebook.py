"""Reports in a notebook: small, without scripts, and with cells by their numbers."""

import linecache
import sys
from types import SimpleNamespace

import pytest

from surefoot.judge import Finding
from surefoot.loop.progress import NotebookLine
from surefoot.report import Report
from surefoot.report.cell import cell, remember
from surefoot.report.place import relative

FILE = "/tmp/ipykernel_1/234.py"


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """As IPython is seen from inside a kernel."""
    shown: list[str] = []

    def named(file: str) -> tuple[str, str]:
        return ("Cell", "In[3]") if file == FILE else ("File", file)

    def display(html: str, display_id: bool) -> SimpleNamespace:
        shown.append(html)
        return SimpleNamespace(update=shown.append)

    shell = SimpleNamespace(compile=SimpleNamespace(format_code_name=named), kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(HTML=str, display=display))
    monkeypatch.setitem(linecache.cache, FILE, (9, None, ["loss.backward()\n", "optimizer.step()\n"], FILE))
    return SimpleNamespace(shown=shown)


def finding(number: int, message: str) -> Finding:
    return Finding("stale-gradients", "error", message, "why", "<fix>", FILE, number, 2, count=number)


def test_cells_have_their_names(notebook: SimpleNamespace) -> None:
    assert relative(FILE) == cell(FILE) == "cell In[3]"
    assert remember(FILE) == "cell In[3]"
    assert linecache.getline("cell In[3]", 2) == "optimizer.step()\n"
    assert remember(__file__) == __file__


def test_a_report_is_a_table_of_few_kilobytes(notebook: SimpleNamespace) -> None:
    report = Report("train.py", 40, [finding(i, "<script>") for i in (1, 2)], num_rules=3)
    shown = report._repr_html_()
    assert "cell In[3], line 2; 2 times, first at step 2" in shown
    assert "&gt; 2 | optimizer.step()" in shown
    assert "<script>" not in shown and "&lt;fix&gt;" in shown
    assert repr(report) == "<Report: 2 findings in 40 steps; 3 rules checked>"
    many = Report("train.py", 40, [finding(i, "many") for i in range(1, 500)])
    assert len(many._repr_html_()) < 100_000
    assert "479 more" in many._repr_html_()


def test_progress_changes_one_output(notebook: SimpleNamespace) -> None:
    line = NotebookLine.here()
    assert line is not None
    assert notebook.shown == []
    line.show(3, 10, "loss 1")
    line.show(4, None, "loss 1")
    assert notebook.shown[0] == '<div><progress value="3" max="10"></progress> 3/10, loss 1</div>'
    assert notebook.shown[1] == "<div>update 4, loss 1</div>"


def test_outside_of_a_notebook_nothing_changes() -> None:
    assert NotebookLine.here() is None
    assert cell(__file__) is None
