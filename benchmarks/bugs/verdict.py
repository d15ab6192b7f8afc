"""What a tool said about a program, and whether that was right."""

from dataclasses import dataclass

from benchmarks.bugs.program import Program


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing a tool said above a note: rules it names, and the line if it gave one."""

    names: frozenset[str]  # rules of ours that this remark amounts to; empty: none
    label: str  # the tool's own name for it
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    program: Program
    remarks: tuple[Remark, ...]
    trouble: str = ""  # the tool could not be run on it, or changed its results
    changed: bool = False
    messages: tuple[str, ...] = ()  # the tool's own words, for whoever chases an alarm

    @property
    def hits(self) -> tuple[Remark, ...]:
        return tuple(remark for remark in self.remarks if remark.names & self.program.names)

    @property
    def found(self) -> bool:
        return self.program.is_buggy and bool(self.hits)

    @property
    def right_line(self) -> bool:
        return any(remark.line in self.program.lines for remark in self.hits)

    @property
    def false_alarms(self) -> tuple[Remark, ...]:
        """On a clean program everything; on a buggy one what names neither the bug nor a consequence."""
        allowed = self.program.names | self.program.consequences if self.program.is_buggy else frozenset()
        return tuple(remark for remark in self.remarks if not remark.names & allowed)
