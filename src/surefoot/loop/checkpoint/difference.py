"""Does a checkpoint belong to this model and optimizer? The first place where it does not, in words."""

from collections.abc import Mapping
from typing import Any

import torch


def first_difference(saved: Mapping[str, Any], present: Mapping[str, Any]) -> str | None:
    """The first difference in names, shapes, dtypes, words or number of groups; numbers may differ.

    The state of an optimizer that never stepped is empty, and a newer torch has options that an older one did not
    save: neither counts.
    """
    return _mappings(saved, present, "")


def _compare(saved: Any, present: Any, path: str) -> str | None:
    if isinstance(saved, torch.Tensor) and isinstance(present, torch.Tensor):
        return _tensors(saved, present, path)
    if isinstance(saved, Mapping) and isinstance(present, Mapping):
        if "param_groups" in saved and "param_groups" in present:
            return _optimizers(saved, present, path)
        return _mappings(saved, present, path)
    if isinstance(saved, list) and isinstance(present, list) and saved and isinstance(saved[0], Mapping):
        return _groups(saved, present, path, "entries")
    if isinstance(saved, str) and isinstance(present, str) and saved != present:
        return f"{path} is {saved!r} in the checkpoint and {present!r} here"
    return None


def _mappings(saved: Mapping[Any, Any], present: Mapping[Any, Any], path: str) -> str | None:
    for name, value in saved.items():
        if name not in present:
            return f"{_join(path, name)} is in the checkpoint but not here"
        if found := _compare(value, present[name], _join(path, name)):
            return found
    for name in present:
        if name not in saved:
            return f"{_join(path, name)} is here but not in the checkpoint"
    return None


def _tensors(saved: torch.Tensor, present: torch.Tensor, path: str) -> str | None:
    if saved.shape != present.shape:
        return f"{path} has shape {tuple(saved.shape)} in the checkpoint and {tuple(present.shape)} here"
    if saved.dtype != present.dtype:
        return f"{path} is {saved.dtype} in the checkpoint and {present.dtype} here"
    return None


def _optimizers(saved: Mapping[Any, Any], present: Mapping[Any, Any], path: str) -> str | None:
    rest = {name: value for name, value in saved.items() if name not in ("state", "param_groups")}
    here = {name: value for name, value in present.items() if name not in ("state", "param_groups")}
    return _mappings(rest, here, path) or _groups(
        saved["param_groups"], present["param_groups"], _join(path, "param_groups"), "groups"
    )


def _groups(saved: list[Any], present: list[Any], path: str, what: str) -> str | None:
    if len(saved) != len(present):
        return f"{path} has {len(saved)} {what} in the checkpoint and {len(present)} here"
    for index, (old, new) in enumerate(zip(saved, present, strict=True)):
        here = f"{path}[{index}]"
        for name, value in old.items():
            if name not in new:
                return f"{here} has {name!r} in the checkpoint but not here: another optimizer"
            if name == "params" and len(value) != len(new[name]):
                return f"{here} has {len(value)} parameters in the checkpoint and {len(new[name])} here"
            if found := _compare(value, new[name], _join(here, name)):
                return found
    return None


def _join(path: str, name: object) -> str:
    return f"{path}.{name}" if path else str(name)
