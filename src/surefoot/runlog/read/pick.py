"""The run that a name stands for: whole, shortened, or "latest"."""

import difflib

from surefoot.runlog.read.error import RunLogError


def pick(name: str, names: list[str], where: str) -> str:
    """The one of these names that is meant: itself, its beginning, or "latest"."""
    if not isinstance(name, str):
        raise TypeError(f'a run is named by its folder, the beginning of it, or "latest", got {name!r}.')
    if name == "latest" and names:
        return names[-1]
    found = [known for known in names if known == name] or [known for known in names if known.startswith(name)]
    if len(found) == 1 and name:
        return found[0]
    raise RunLogError(_not_found(name, names, found, where))


def _not_found(name: str, names: list[str], found: list[str], folder: str) -> str:
    if not names:
        return f"there is no run in {folder} yet. `surefoot run SCRIPT` creates one."
    if found:
        return f"{len(found)} runs in {folder} start with {name!r}: {', '.join(found[:5])}{', …' * (len(found) > 5)}."
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.3)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"there is no run {name!r} in {folder}.{hint} `surefoot runs {folder}` lists them."
