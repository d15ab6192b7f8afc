"""What of a command line is kept, and what is masked."""

import shlex

import pytest

from surefoot.runlog.secret import hide, masked

HF = "hf_" + "aB3" * 10


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("surefoot run --alert slack://TOKEN/B a.py", "surefoot run --alert slack:… a.py"),
        ("run '--alert=cmd:mail TOKEN' --alert-on 'loss > 3' a.py", "run --alert=cmd:… --alert-on 'loss > 3' a.py"),
        ("run --alerts jsons://h/KEY --alert_url=jsons://h/KEY a.py", "run --alerts jsons:… --alert_url=jsons:… a.py"),
        ("a.py --alert high", "a.py --alert high"),  # the script's own
        ("a.py --hf-token abcdefgh --password=x", "a.py --hf-token … --password=…"),
        ("a.py --wandb_api_key 0123456789abcdef wandb.api_key=0123", "a.py --wandb_api_key … wandb.api_key=0123"),
        (f"a.py {HF} x={HF}", "a.py … x=…"),
        ("a.py sk-" + "a1b2" * 8, "a.py …"),
        ("a.py --max-tokens 4096 --tokenizer gpt2 --pad-token PAD --eos_token=EOS", None),
        ("a.py --lr 0.1 --token 7 --key name --revision 0123456789abcdef0123456789abcdef01234567", None),
        ("a.py s3://bucket/data --url https://h/x?page=2", None),
        ("a.py postgres://me:word@h/db", "a.py postgres://me:…@h/db"),
        ("a.py --url=https://h/x?sig=abc&page=2", "a.py '--url=https://h/x?sig=…&page=2'"),
        ("a.py 'https://h/x?token=abc'", "a.py 'https://h/x?token=…'"),
        ("a.py https://hooks.slack.com/services/T/B/KEY", "a.py https://hooks.slack.com/…"),
        ("a.py https://[broken/KEY", "a.py https:…"),
    ],
)
def test_a_command_is_kept_without_its_secrets(given: str, kept: str | None) -> None:
    words = given.split() if "'" not in given else shlex.split(given)
    assert masked(words) == (words if kept is None else shlex.split(kept))


def test_the_setting_keeps_all_but_the_addresses_of_alerts(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["run", "--alert", "slack://TOKEN", "a.py", "--token", "abcdefgh"]
    assert masked(words)[-1] == "…"
    monkeypatch.setenv("SUREFOOT_MASK", "off")
    assert masked(words) == ["run", "--alert", "slack:…", "a.py", "--token", "abcdefgh"]


def test_a_message_does_not_repeat_them() -> None:
    words = ["run", "--password=wo\nrd", "https://hooks.slack.com/services/T/B/KEY", "train.py"]
    told = f"there is no file {words[2]!r}, {words[1]!r} is wrong: wo\nrd; train.py"
    shown = hide(told, words)
    assert "KEY" not in shown and "rd;" not in shown
    assert shown.endswith("; train.py")
