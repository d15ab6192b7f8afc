"""Learning-rate schedules: what exists, when they advance, and what came of it."""

from surefoot.facts.frozen import frozen
from surefoot.facts.site import Site


@frozen
class ScheduleStepFacts:
    """One call of `scheduler.step()` by the program (not the one its constructor makes)."""

    at: int
    scheduler: int
    site: Site | None = None
    count: int = 0  # calls so far, this one included
    lrs: tuple[float, ...] = ()  # the rates it set
    metric: float | None = None  # what ReduceLROnPlateau was fed


@frozen
class SchedulerFacts:
    """A scheduler, when it was made."""

    id: int
    kind: str  # class name
    optimizer: int
    site: Site | None = None
    length: int | None = None  # number of steps after which it is finished, where it has one
    settings: tuple[tuple[str, float], ...] = ()
    builtin: str = ""  # the class of torch whose rates it computes; "" for one that computes its own
    owned: bool = False  # part of another scheduler, which advances it

    def setting(self, name: str, default: float = 0.0) -> float:
        return next((value for key, value in self.settings if key == name), default)


@frozen
class ScheduleFacts:
    """What a schedule has done so far.

    An epoch is a pass over a DataLoader; without one, a round of the loop around the loop that advances the schedule.
    """

    made: SchedulerFacts
    drives: tuple[int, ...] = ()  # the optimizers whose rate it sets
    site: Site | None = None  # the line that last advanced it
    count: int = 0  # how often the program advanced it
    position: int = 0  # its own counter; larger than `count` in a resumed run
    updates: int = 0  # attempted steps of the optimizers it drives
    since_step: int = 0  # advances since the last of these
    resumed: bool = False  # it began in mid-course, or its state was loaded
    explicit: bool = False  # the program passes the epoch itself: `step(epoch)`
    by_library: bool = False  # a library calls `step`
    may_stop_early: bool = False  # a loop around the call can be left before its end, or can't be read
    planned: int | None = None  # advances that the loops around the call make if none is left early, where known
    in_branch: bool = False  # never advanced, but a call that would do it stands in a branch that was not reached
    unreached_at: Site | None = None  # the first such call, if its branch asks for a counter of the loop and no more
    unreachable: bool = False  # no round of that loop can fulfil it
    opening: tuple[int, ...] = ()  # `updates` at its first three advances, as far as they come from one line
    before_all_steps: bool = False  # no optimizer had stepped between its making and its first advance
    epochs: int = 0  # epochs inside which it was advanced
    in_epochs: int = 0  # of `count`, how many inside an epoch
    most_in_epoch: int = 0  # advances inside one epoch, at most
    epoch_length: int | None = None  # in batches, where known; otherwise in advances
    peaks: tuple[float, ...] = ()  # highest rate so far, by parameter group
    lrs: tuple[float, ...] = ()  # rates now
    cut: float = 1.0  # peak over present rate, in the group where it is smallest
    cut_at: int = 0  # the advance that first made the rate 1000 times smaller; 0 if none did
    low_at: int = 0  # the advance that last brought the rate below a twentieth of its peak; 0 if it is above
    cut_in_epoch_at: int = 0  # likewise, within one epoch: which of its advances
    past_minimum: int = 0  # advances since a cosine passed its minimum
    micro_batch_windows: int = 0  # steps with several micro-batches, each of which advanced it
    other_windows: int = 0  # steps with several micro-batches, but not so
    per_window: int = 0  # advances in the last of the former
    looked: int = 0  # advances at which the rate that the schedule had set was looked for
    overwritten: int = 0  # of these, how many found another one
    overwritten_last: bool = False
    metrics: tuple[tuple[float, float], ...] = ()  # its first metrics, each with the mean training loss before it
