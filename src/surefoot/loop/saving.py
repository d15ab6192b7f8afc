"""Everything that training goes on from, as one nested dict of tensors and plain values."""

from __future__ import annotations

import warnings
from math import isfinite
from typing import TYPE_CHECKING, Any

import torch

from surefoot.loop.checkpoint import rng
from surefoot.loop.checkpoint.address import Place
from surefoot.loop.checkpoint.difference import first_difference
from surefoot.loop.frozen import fill_in, leave_out
from surefoot.loop.parallel import reshard
from surefoot.loop.parallel.shard import in_outline, local
from surefoot.loop.plan import LoopWarning
from surefoot.loop.schedulers import saved_schedulers

if TYPE_CHECKING:
    from surefoot.loop.feed import Feed
    from surefoot.loop.loop import Loop

FORMAT = 2
READ = (1, FORMAT)  # format 1 does not tell where the parts of sharded tensors belong


class OtherCheckpointError(ValueError):
    """A checkpoint of another model, optimizer or version."""


def state_of(loop: Loop) -> dict[str, Any]:
    """At any moment between micro-batches."""
    if loop._is_batch_untrained:
        raise RuntimeError(
            "save() was called before the batch's step: on resume the batch would be left out. Call it after the "
            "step, or between batches."
        )
    loop._averages.refuse_in_place("save()")
    loop._ranks.settle(loop.models.values())
    if loop._unsaved is not None:
        loop._unsaved.tell(loop.state.values())
    frozen = {} if loop._frozen is None else loop._frozen.unchanged()
    models = {name: model.state_dict() for name, model in loop.models.items()}
    leave_out(models, frozen)
    state = {
        "format": FORMAT,
        "counts": {
            "updates": loop.num_updates,
            "skipped": loop.num_skipped,
            "empty": loop.num_empty,
            "epoch": loop.epoch,
            "epochs": loop.num_epochs,
            "seconds": loop.seconds,
            "calls": loop._num_calls - (loop._feed is not None),  # of `batches`, that came to their end
        },
        "stopped": loop.stopped,
        "settings": settings_of(loop),
        "models": models,
        "frozen": frozen,  # checksums of weights that are left out
        "optimizers": {name: optimizer.state_dict() for name, optimizer in loop.optimizers.items()},
        "schedulers": _each(loop, "scheduler"),
        "scalers": _each(loop, "scaler"),
        "spikes": _each(loop, "spikes"),
        "averages": loop._averages.state(),
        "windows": {name: updater.window.state() for name, updater in loop._updaters.items()},
        "stop": None if loop._stop is None else loop._stop.state_dict(),
        "best": loop._best.state(),
        "history": loop.history.state(),
        "state": loop.state.saved(),
        "data": None if loop._feed is None else loop._feed.state(),
        "ended": None if loop._feed is not None else loop._ended,
        "rng": rng.capture(),
        "run": loop._log.state(),
    }
    state["ranks"] = {"size": loop._ranks.size}
    return loop._ranks.share(loop._ranks.pack(state))


def settings_of(loop: Loop) -> dict[str, Any]:
    """What partial gradients, and the meaning of what is saved, depend on."""
    return {"accumulate": dict(loop._accumulate), "precision": loop.precision, "ema": bool(loop._averages)}


def is_healthy(loop: Loop) -> bool:
    """Whether training could go on from here: weights that are not finite never recover."""
    with torch.no_grad():
        floats = [p for model in loop.models.values() for p in model.parameters() if p.is_floating_point()]
        last = [row[name] for row in loop.history[-1:] for name in row if name.endswith("loss")]
        healthy = all(map(isfinite, last)) and all(bool(torch.isfinite(local(p)).all()) for p in floats)
        return loop._ranks.all(healthy)


def load_state(loop: Loop, state: dict[str, Any], path: Place) -> None:
    """Put a checkpoint's state into the loop, or nothing of it if it belongs to another one."""
    if state.get("format") not in READ:
        raise OtherCheckpointError(f"{path} has format {state.get('format')!r}; this version reads up to {FORMAT}.")
    _check_same(loop, state, path)  # completes the weights that were left out
    _take_up_by(loop, state, path)
    params = {name: updater.window.params for name, updater in loop._updaters.items()}
    loop._ranks.unpack(state, loop.models, loop.optimizers, params)
    for name, model in loop.models.items():
        model.load_state_dict(state["models"][name])
    for name, optimizer in loop.optimizers.items():
        optimizer.load_state_dict(state["optimizers"][name])
    for name, updater in loop._updaters.items():
        parts = {"schedulers": updater.scheduler, "scalers": updater.scaler, "spikes": updater.spikes}
        for kind, part in parts.items():
            if part is not None and state.get(kind, {}).get(name) is not None:
                part.load_state_dict(state[kind][name])
        updater.window.restore(state["windows"][name])
        updater.outside.note()
        if updater.scaler is not None and updater.window.is_open:
            updater.scaler.scale(torch.ones((), device=loop.device))  # it makes its state at first use
    loop._averages.restore(state.get("averages", {}))
    counts = state["counts"]
    loop.num_updates, loop.num_skipped = counts["updates"], counts["skipped"]
    loop.num_epochs = counts.get("epochs", counts["epoch"])  # older checkpoints do not tell
    loop.num_empty = counts.get("empty", 0)  # older checkpoints do not tell
    loop.epoch, loop.seconds, loop.stopped = counts["epoch"], counts["seconds"], state["stopped"]
    if loop._stop is not None and state["stop"] is not None:
        loop._stop.load_state_dict(state["stop"])
    loop._best.restore(state.get("best"))
    loop.history.restore(state["history"])
    loop.state.restore(state.get("state", {}))
    loop._ended = state.get("ended")  # older checkpoints do not tell
    loop._resumed = {"data": state["data"], "ended": loop._ended, "rng": state["rng"], "calls": counts["calls"]}
    if state["data"] is None:
        restore_data(None, loop._resumed)
    loop._log.resumed(state.get("run"), loop.num_updates)


def is_done(resumed: dict[str, Any], call: int, epochs: int | None) -> bool:
    """Whether this call of `batches` had come to its end before the checkpoint.

    The last one goes on where it ended if it is given more epochs now.
    """
    ended = resumed["ended"]
    if call == resumed["calls"] and ended is not None and (epochs is None or epochs > ended["epoch"] + 1):
        resumed["data"] = ended
        return False
    return call <= int(resumed["calls"])


def restore_data(feed: Feed | None, resumed: dict[str, Any]) -> None:
    """Go on with the batch after the last one; the random numbers go on where they were, too."""
    if resumed["data"] is not None and feed is not None:
        feed.restore(resumed["data"])
    if resumed["rng"] is not None:
        rng.restore(resumed["rng"])


def _take_up_by(loop: Loop, state: dict[str, Any], path: Place) -> None:
    """By another number of processes than saved it, if they can."""
    size = loop._ranks.size
    state.setdefault("ranks", {"size": size})  # older checkpoints do not tell
    if state["ranks"]["size"] == size:
        return
    refused = reshard.refusal(state, size)
    if refused is not None:
        raise OtherCheckpointError(
            f"{path} {refused}. Resume with {state['ranks']['size']} processes, or from the end of an epoch. Nothing "
            "was loaded."
        )
    reshard.adapt(state, size, loop._ranks.rank)


def load_weights(loop: Loop, state: dict[str, Any], path: Place) -> None:
    """Only the models of a checkpoint, and their averages."""
    _check_same(loop, state, path)
    loop._ranks.unpack(state, loop.models, {}, {})
    for name, model in loop.models.items():
        model.load_state_dict(state["models"][name])
    loop._averages.restore(state.get("averages", {}))


def _check_same(loop: Loop, state: dict[str, Any], path: Place) -> None:
    present: dict[str, Any] = {
        "models": {name: model.state_dict() for name, model in loop.models.items()},
        "optimizers": {name: optimizer.state_dict() for name, optimizer in loop.optimizers.items()},
    }
    difference = fill_in(state["models"], state.get("frozen", {}), loop.models)
    if difference is None:
        saved = loop._ranks.pack({"models": state["models"], "optimizers": state["optimizers"]})
        is_old = state["format"] == 1
        packed = loop._ranks.pack(present)
        difference = first_difference(in_outline(saved, by_part=is_old), in_outline(packed, by_part=is_old))
    missing = loop.state.difference(state.get("state", {})) or loop._averages.difference(state.get("averages", {}))
    if difference is None and missing is not None:
        raise OtherCheckpointError(f"{path} can't be loaded: {missing}. Nothing was loaded.")
    if difference is not None:
        raise OtherCheckpointError(f"{path} belongs to another model or optimizer: {difference}. Nothing was loaded.")
    _check_schedulers(loop, state, path)
    _compare_settings(loop, state, path)


def _compare_settings(loop: Loop, state: dict[str, Any], path: Place) -> None:
    """A run may go on with other settings, but not in the middle of a window, and not silently."""
    before, now = state.get("settings", {}), settings_of(loop)  # older checkpoints do not tell
    names = [name for name in before if before[name] != now[name]]
    changed = {name: f"{name} {_short(before[name])} → {_short(now[name])}" for name in names}
    changes = ", ".join(changed.values())
    is_inside = any(window["num_micro_batches"] for window in state["windows"].values())
    if is_inside and ("accumulate" in changed or "precision" in changed):
        raise OtherCheckpointError(
            f"{path} was saved inside a window, and the scale of its gradients depends on settings that have changed: "
            f"{changes}. Resume with those of the run, or from a checkpoint between windows. Nothing was loaded."
        )
    if not changed:
        return
    warnings.warn(f"the run goes on with other settings than it was saved with: {changes}.", LoopWarning, stacklevel=6)


def _short(setting: Any) -> Any:
    return setting.get("", setting) if isinstance(setting, dict) else setting


def _check_schedulers(loop: Loop, state: dict[str, Any], path: Place) -> None:
    for name, updater in loop._updaters.items():
        before, now = len(saved_schedulers(state["schedulers"].get(name))), len(updater.scheduler or ())
        if before != now:
            raise OtherCheckpointError(
                f"{path} was saved with {before} schedulers{f' for {name!r}' if name else ''}, and the loop has {now}: "
                "schedules would start over. Make the loop with the same ones. Nothing was loaded."
            )
        kinds = (state["schedulers"].get(name) or {}).get("kinds")  # older checkpoints do not tell
        if kinds and updater.scheduler is not None and kinds != updater.scheduler.kinds:
            raise OtherCheckpointError(
                f"{path} was saved with {', '.join(kinds)}, and the loop has {', '.join(updater.scheduler.kinds)}: "
                "a place in one schedule says nothing about another. Make the loop with the same ones. Nothing was "
                "loaded."
            )


def _each(loop: Loop, what: str) -> dict[str, Any]:
    parts = {name: getattr(updater, what) for name, updater in loop._updaters.items()}
    return {name: None if part is None else part.state_dict() for name, part in parts.items()}
