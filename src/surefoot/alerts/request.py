"""Where alerts go and on what, as users ask for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from surefoot.alerts.send import destination
from surefoot.alerts.when import Wanted, read_wanted


@dataclass(frozen=True, slots=True)
class Request:
    """Checked. The address is a secret: it is neither shown nor stored."""

    url: str = field(repr=False)
    wanted: Wanted = field(default_factory=Wanted)


def alert(url: str, on: str | Iterable[str] = ()) -> Request:
    """Ask for alerts to `url`: `sf.Loop(…, alerts=[sf.alert("jsons://example.org/hook", on=["error", "loss > 3"])])`.

    `json://` and `jsons://` addresses get a JSON document by POST; `cmd:` names a command that gets it on its stdin;
    `env:` names a variable that holds the address; every other address goes through apprise. Each of `on` is a level
    ("error", "warning", "note"), a rule, a family or an expression such as `zscore(loss, 50) > 4`; errors by default.
    """
    if not isinstance(url, str):
        raise TypeError(f"an alert goes to an address, such as jsons://example.org/hook, got {type(url).__name__}.")
    wanted = read_wanted(on if isinstance(on, Iterable) and not isinstance(on, str) else [on])
    destination(url).check()
    return Request(url, wanted)


def as_requests(given: str | Request | Iterable[str | Request]) -> tuple[Request, ...]:
    """What a loop is given: addresses, requests, or one of them."""
    some = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    return tuple(one if isinstance(one, Request) else alert(one) for one in some)
