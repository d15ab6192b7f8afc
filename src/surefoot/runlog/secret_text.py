"""Secrets in lines of source and in results, masked before these are stored, or shown beside a finding."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from surefoot.runlog.secret import HIDDEN, address_kind, keeps_secrets, masked, masked_address, masked_value

# Repetitions are bounded and possessive: lines of source may be long, and time must not grow with their square.
ADDRESS = re.compile(r"""[a-z][a-z0-9+.-]{0,40}+://[^\s"'`<>)\\]+""", re.IGNORECASE)
# Schemes of what programs read and connect to. Others are those of chats and mail, where the whole address is a secret.
_COMMON = re.compile(
    r"(?:https?|wss?|ftps?|sftp|file|s3[an]?|gs|gcs|az|abfss?|hdfs|hf|git|ssh|git\+\w+|tcp|udp|unix|env|data|mlflow"
    r"|sqlite|postgres(?:ql)?|mysql|redis|mongodb)(?:\+\w+)?://",
    re.IGNORECASE,
)
_BODY = r"(?:\\.|(?!(?P=quote)).)+"
_COMMAND = re.compile(rf"""(?P<quote>["'])cmd:{_BODY}""")
_GAP = r"\s{0,80}+"
_NAMED = re.compile(
    rf"""(?P<name>[A-Za-z_][\w.-]{{0,200}}+)(?P<between>["']?{_GAP}\]?{_GAP}(?::|=(?!=)){_GAP})"""
    rf"""(?P<quote>["'])(?P<value>{_BODY})"""
)
_ABOUT_ALERTS = re.compile(r"alert", re.IGNORECASE)


def masked_lines(lines: Sequence[str]) -> list[str]:
    """Lines of source that stand together."""
    is_alert = any(map(_ABOUT_ALERTS.search, lines))
    return [masked_text(line, is_alert=is_alert) for line in lines]


def masked_text(text: str, *, is_alert: bool = False) -> str:
    """Any text. `is_alert`: it speaks of alerts, so that any address in it may be one of theirs."""
    text = _COMMAND.sub(lambda found: f"{found['quote']}cmd:{HIDDEN}", text)
    text = ADDRESS.sub(lambda found: _masked_address(found[0], is_alert=is_alert), text)
    return text if keeps_secrets() else _NAMED.sub(_masked_assignment, masked_value("", text))


def masked_data(data: Any) -> Any:
    """Of what will be JSON: command lines, which are lists of words, and texts of any length."""
    if isinstance(data, str):
        return "\n".join(masked_lines(data.split("\n")))
    if isinstance(data, dict):
        return {key: masked_data(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        is_command = bool(data) and all(isinstance(one, str) for one in data)
        return [masked_data(one) for one in (masked(data) if is_command else data)]
    return data


def _masked_address(address: str, *, is_alert: bool) -> str:
    if is_alert or not _COMMON.match(address):
        return address_kind(address)
    return address if keeps_secrets() else masked_address(address)


def _masked_assignment(found: re.Match[str]) -> str:
    value = masked_value(found["name"], found["value"])
    return f"{found['name']}{found['between']}{found['quote']}{value}"
