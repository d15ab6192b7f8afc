"""What every update did, in memory: sliceable, and as a data frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, overload

Row = dict[str, Any]


class History(Sequence[Row]):
    """One row per applied update: update, epoch, loss, lr, grad_norm, and what was measured after it.

    `history[-1]["loss"]`, `history[100:200]`, `history["val/loss"]` (the values of the rows that have one).
    """

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self._rows = list(rows)
        self.listener: Callable[[Mapping[str, Any]], None] | None = None  # hears what is added to the last row

    @overload
    def __getitem__(self, key: int) -> Row: ...
    @overload
    def __getitem__(self, key: slice) -> History: ...
    @overload
    def __getitem__(self, key: str) -> list[Any]: ...
    def __getitem__(self, key: int | slice | str) -> Row | History | list[Any]:
        if isinstance(key, str):
            found = [row[key] for row in self._rows if key in row]
            if not found and self._rows:
                raise KeyError(f"{key!r} was never recorded. There are: {', '.join(self.names)}.")
            return found
        return History(self._rows[key]) if isinstance(key, slice) else self._rows[key]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def __repr__(self) -> str:
        if not self._rows:
            return "History of no updates"
        first, last = self._rows[0], self._rows[-1]
        return f"History of {len(self)} updates: loss {first['loss']:.4g} to {last['loss']:.4g}"

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys(name for row in self._rows for name in row))

    def add(self, row: Row) -> None:
        self._rows.append(row)

    def add_to_last(self, values: Mapping[str, Any]) -> None:
        """What was measured after the last update."""
        if self._rows:
            self._rows[-1].update(values)
        if self.listener is not None:
            self.listener(values)

    def df(self) -> Any:
        """A pandas data frame; pandas must be installed."""
        try:
            import pandas as pd  # type: ignore[import-untyped, unused-ignore]
        except ImportError as error:
            raise ImportError("history.df() needs pandas: pip install pandas") from error
        return pd.DataFrame(self._rows)

    def state(self) -> dict[str, list[Any]]:
        """By column, which is much smaller in a file."""
        return {name: [row.get(name) for row in self._rows] for name in self.names}

    def restore(self, state: Mapping[str, list[Any]]) -> None:
        names = list(state)
        rows = zip(*state.values(), strict=True)
        self._rows = [{n: v for n, v in zip(names, row, strict=True) if v is not None} for row in rows]
