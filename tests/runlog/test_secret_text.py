"""Lines of source and results are kept without the secrets in them."""

import json
from pathlib import Path

import pytest

from surefoot.runlog.secret_text import masked_data, masked_lines, masked_text
from surefoot.runlog.write.excerpt import excerpt


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ('os.environ["HF_TOKEN"] = "abc"', 'os.environ["HF_TOKEN"] = "…"'),
        ("config = {'password': 'abc', 'lr': '0.1'}", "config = {'password': '…', 'lr': '0.1'}"),
        ("login(api_key='it\\'s')", "login(api_key='…')"),
        ('login("hf_SECRETSECRETSECRETSECRET")', 'login("…")'),
        ('get("https://user:abc@host/path")', 'get("https://user:…@host/path")'),
        ('notify("slack://T/B/C")  # chat', 'notify("slack:…")  # chat'),
        ('''hook = "cmd:sh -c 'post abc'"''', 'hook = "cmd:…"'),
        ('pad_token = "<pad>"', None),
        ('init_process_group(init_method="tcp://127.0.0.1:29500")', None),
        ('model = load("hf://org/model")  # https://pytorch.org/docs', None),
        ('key = "loss"', None),
    ],
)
def test_a_line_of_source(given: str, kept: str | None) -> None:
    assert masked_text(given) == (given if kept is None else kept)


def test_any_address_near_an_alert_may_be_its_own() -> None:
    lines = ['hook = "https://example.org/abc"', "sf.alert(hook)"]
    assert masked_lines(lines) == ['hook = "https:…"', "sf.alert(hook)"]
    assert masked_lines(lines[:1]) == lines[:1]


def test_the_setting_keeps_all_but_the_addresses_of_alerts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUREFOOT_MASK", "off")
    assert masked_text('api_key = "abc"; sf.alert("json://host/abc")') == 'api_key = "abc"; sf.alert("json:…")'


def test_lines_around_a_finding(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text('token = "abc"\nloss.backward()\n')
    assert json.loads(excerpt(str(script), 2)[1]) == ['token = "…"', "loss.backward()"]


def test_a_result() -> None:
    told = {"reference": ["python", "train.py", "--hf-token", "abc"], "patch": "-a\n+token = 'abc'", "steps": [1, 2.5]}
    kept = {"reference": ["python", "train.py", "--hf-token", "…"], "patch": "-a\n+token = '…'", "steps": [1, 2.5]}
    assert masked_data(told) == kept
