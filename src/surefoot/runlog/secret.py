"""Secrets on command lines, masked before a command is stored or repeated: passwords, tokens, keys, alert addresses.

`SUREFOOT_MASK=off` keeps everything but the addresses of alerts.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from urllib.parse import SplitResult, urlsplit

VARIABLE = "SUREFOOT_MASK"
OFF = ("off", "0", "false", "no")
HIDDEN = "…"
ALERT = re.compile(r"--alert(?!-)\w*")  # and what a hurried hand makes of it
# The last words of a name. A key alone may be a column; with one of these before it, it opens something.
_SECRET = re.compile(
    r"(?:^|[-_.])(?:token|secret|password|passwd|passphrase|credentials?|apikey"
    r"|(?:api|access|account|auth|private|secret|storage|license)[-_.]?key)$",
    re.IGNORECASE,
)
_OF_A_VOCABULARY = re.compile(
    r"(?:pad|eos|bos|unk|sep|cls|mask|stop|end|start|begin|special|image|audio|video|extra|next|per)[-_.]?token$",
    re.IGNORECASE,
)
_NO_SECRET = re.compile(r"[+-]?[\d.]*(?:e[+-]?\d+)?|true|false|none|null|yes|no", re.IGNORECASE)
# Keys that services make, known by how they begin.
_KEY = re.compile(
    r"\b(?:hf_[A-Za-z0-9]{20,}|sk-[\w-]{20,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}"
    r"|xox[abeoprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}|AIza[\w-]{30,}|ya29\.[\w-]{20,}|wandb_v1_\w{20,}"
    r"|eyJ[\w-]{10,}\.eyJ[\w-]{5,}\.[\w-]{5,})"
)
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]{0,40}+://\S+", re.IGNORECASE)
_HOOKS = (
    "hooks.slack.com",
    "discord.com",
    "discordapp.com",
    "webhook.office.com",
    "api.telegram.org",
    "maker.ifttt.com",
)


def masked(words: Iterable[str], *, keep: bool | None = None) -> list[str]:
    """A command line as it may be stored or shown."""
    keep = keeps_secrets() if keep is None else keep
    return [_masked(before, word, keep=keep) for before, word in _pairs(words)]


def hide(text: str, words: Iterable[str]) -> str:
    """A message without the secrets of the command line that it is about, which it may quote."""
    given = list(words)
    for word, shown in zip(given, masked(given, keep=False), strict=True):
        if word != shown:
            text = text.replace(repr(word)[1:-1], shown).replace(word, shown)
            value = word.partition("=")[2]
            text = text.replace(value, HIDDEN) if value and value not in shown else text
    return text


def _pairs(words: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each word with the option before it, if that has no value yet."""
    before = ""
    for word in words:
        yield before, word
        before = word if word.startswith("-") and "=" not in word else ""


def _masked(option: str, word: str, *, keep: bool) -> str:
    name, given, value = word.partition("=")
    if ALERT.fullmatch(option):
        return address_kind(word)
    if given and ALERT.fullmatch(name):
        return f"{name}={address_kind(value)}"
    if keep:
        return word
    if given and not _ADDRESS.match(word):
        return f"{name}={masked_value(name, value)}"
    return word if word.startswith("-") else masked_value(option, word)


def masked_value(name: str, value: str) -> str:
    """What an option or a variable of that name is given."""
    name = name.lstrip("-+")
    is_named = _SECRET.search(name) and not _OF_A_VOCABULARY.search(name)
    if is_named and not _NO_SECRET.fullmatch(value):
        return HIDDEN
    return _ADDRESS.sub(lambda found: masked_address(found[0]), _KEY.sub(HIDDEN, value))


def masked_address(text: str) -> str:
    """Without its password, without what signs it, and without the path where that is the secret."""
    try:
        parts = urlsplit(text)
        host = parts.hostname or ""
    except ValueError:
        return address_kind(text)
    if any(host == hook or host.endswith(f".{hook}") for hook in _HOOKS):
        return f"{parts.scheme}://{host}/{HIDDEN}"
    return _open_part(parts)


def _open_part(parts: SplitResult) -> str:
    user, at, place = parts.netloc.rpartition("@")
    if at and ":" in user:
        parts = parts._replace(netloc=f"{user.partition(':')[0]}:{HIDDEN}@{place}")
    query = "&".join(_parameter(pair) for pair in parts.query.split("&"))
    return parts._replace(query=query).geturl()


def _parameter(pair: str) -> str:
    name, given, value = pair.partition("=")
    is_secret = _SECRET.search(name) or name.lower() in ("sig", "signature", "key", "x-amz-signature", "code")
    return f"{name}={HIDDEN}" if given and value and is_secret else pair


def address_kind(address: str) -> str:
    """All that may be said of an address of alerts."""
    kind, found, rest = address.partition(":")
    return f"{kind}:{HIDDEN}" if found and rest else address


def keeps_secrets() -> bool:
    """Whether the user wants that."""
    return os.environ.get(VARIABLE, "").lower() in OFF
