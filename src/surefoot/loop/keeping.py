"""Saving, resuming and loading: which file, and whether all ranks mean the same."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING

from surefoot.loop.best import Best
from surefoot.loop.checkpoint.address import Place, place_of
from surefoot.loop.checkpoint.file import verify, write
from surefoot.loop.checkpoint.files import Files
from surefoot.loop.failing import told_to_ranks
from surefoot.loop.parallel import group
from surefoot.loop.saving import is_healthy, load_state, load_weights, state_of

if TYPE_CHECKING:
    from surefoot.loop.loop import Loop


@told_to_ranks
def save(loop: Loop, path: str | PathLike[str] | None) -> Place | None:
    """What `Loop.save` does."""
    if loop._dry_run is not None:
        return None
    if path is not None:
        group.refuse_own_sharding(loop.models, loop._ranks)
        own = loop._ranks.file(place_of(path))
        write(own, state_of(loop))
        return own
    if loop._folder is None:
        raise ValueError("save() needs a path, or a folder: sf.Loop(..., checkpoint=folder).")
    loop._is_save_due = False
    is_best, loop._best.is_due = loop._best.is_due, False
    inside = sum(updater.window.num_micro_batches for updater in loop._updaters.values())
    save_to = loop._folder.save if loop._writer is None else loop._writer.save
    saved = save_to(state_of(loop), loop.num_updates, is_healthy(loop), inside, best=is_best)
    if loop._ranks.size > 1 and loop._writer is None and loop._ranks.all(saved is not None):
        loop._folder.mark_complete()
    return saved


@told_to_ranks
def resume(loop: Loop, path: str | PathLike[str] | None) -> bool:
    """What `Loop.resume` does."""
    if loop._dry_run is not None:
        return False
    if path is not None:
        group.refuse_own_sharding(loop.models, loop._ranks)
        own = loop._ranks.file(place_of(path))
        loop._ranks.refuse_missing(own)
        verify(own)
        places = [loop._ranks.file(place_of(path), rank) for rank in range(loop._ranks.size)]
        load_state(loop, loop._ranks.put_together(Files(places, loop._ranks.rank)), own)
        return True
    if loop._folder is None:
        raise ValueError("resume() needs a path, or a folder: sf.Loop(..., checkpoint=folder).")
    loop._wait_for_checkpoint()
    found = loop._folder.newest(ranks=loop._ranks)
    loop._ranks.same_everywhere("the newest checkpoint", -1 if found is None else found[1]["counts"]["updates"])
    if found is not None:
        load_state(loop, found[1], found[0])
    return found is not None


@told_to_ranks
def load_best(loop: Loop) -> Best:
    """What `Loop.load_best` does."""
    if loop._dry_run is not None:
        return loop.best or Best(loop._best.name, float("nan"), loop.num_updates)
    loop._wait_for_checkpoint()
    found = None if loop._folder is None or not loop._best.name else loop._folder.newest(best=True, ranks=loop._ranks)
    loop._ranks.same_everywhere("the best checkpoint", -1 if found is None else found[1]["counts"]["updates"])
    if found is None:
        raise ValueError('there is no best checkpoint: sf.Loop(..., checkpoint=folder, keep_best=("val/loss", "min")).')
    load_weights(loop, found[1], found[0])
    return Best(**found[1]["best"])
