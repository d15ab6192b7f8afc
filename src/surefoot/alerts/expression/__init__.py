"""Expressions over scalars, such as `zscore(loss, 50) > 4` or `val/loss > 2 for 200 steps`."""

from surefoot.alerts.expression.parse import Expression, parse
from surefoot.alerts.expression.series import Book
from surefoot.alerts.expression.token import ExpressionError
from surefoot.alerts.expression.watcher import Watcher

__all__ = ["Book", "Expression", "ExpressionError", "Watcher", "parse"]
