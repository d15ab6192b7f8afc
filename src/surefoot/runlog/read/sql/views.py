"""The views, as they are documented: their columns and types are stable."""

from __future__ import annotations

VIEWS: dict[str, dict[str, str]] = {
    "runs": {
        "run": "VARCHAR", "status": "VARCHAR", "script": "VARCHAR", "command": "VARCHAR", "started": "TIMESTAMP",
        "ended": "TIMESTAMP", "seconds": "DOUBLE", "host": "VARCHAR", "device": "VARCHAR", "git_commit": "VARCHAR",
        "git_dirty": "BOOLEAN", "attempt": "INTEGER", "resumed_from": "VARCHAR", "ranks": "INTEGER",
        "updates": "BIGINT", "last_loss": "DOUBLE", "findings": "INTEGER", "errors": "INTEGER", "reason": "VARCHAR",
        "exit": "INTEGER", "name": "VARCHAR", "run_group": "VARCHAR", "tags": "VARCHAR", "notes": "VARCHAR",
        "archived": "BOOLEAN",
    },
    "settings": {
        "run": "VARCHAR", "name": "VARCHAR", "value": "VARCHAR", "number": "DOUBLE", "type": "VARCHAR",
        "source": "VARCHAR",
    },
    "scalars": {
        "run": "VARCHAR", "rank": "INTEGER", "name": "VARCHAR", "step": "BIGINT", "time": "DOUBLE", "value": "DOUBLE",
    },
    "params": {
        "run": "VARCHAR", "rank": "INTEGER", "name": "VARCHAR", "place": "VARCHAR", "step": "BIGINT", "time": "DOUBLE",
        "value": "DOUBLE",
    },
    "steps": {
        "run": "VARCHAR", "rank": "INTEGER", "step": "BIGINT", "optimizer": "INTEGER", "attempts": "BIGINT",
        "applied": "BOOLEAN", "skipped": "BOOLEAN", "repeats": "BIGINT", "loss": "DOUBLE", "lr": "DOUBLE",
        "norm": "DOUBLE", "max_norm": "DOUBLE", "scale": "DOUBLE", "micro_batches": "INTEGER", "file": "VARCHAR",
        "line": "INTEGER", "facts": "JSON",
    },
    "findings": {
        "run": "VARCHAR", "rank": "INTEGER", "rule": "VARCHAR", "severity": "VARCHAR", "message": "VARCHAR",
        "why": "VARCHAR", "fix": "VARCHAR", "file": "VARCHAR", "line": "INTEGER", "step": "BIGINT", "count": "BIGINT",
        "evidence": "JSON",
    },
    "hists": {
        "run": "VARCHAR", "rank": "INTEGER", "name": "VARCHAR", "step": "BIGINT", "time": "DOUBLE", "low": "DOUBLE",
        "high": "DOUBLE", "count": "BIGINT",
    },
    "media": {
        "run": "VARCHAR", "rank": "INTEGER", "name": "VARCHAR", "step": "BIGINT", "time": "DOUBLE", "number": "INTEGER",
        "kind": "VARCHAR", "path": "VARCHAR", "bytes": "BIGINT", "about": "JSON",
    },
    "cells": {
        "run": "VARCHAR", "rank": "INTEGER", "name": "VARCHAR", "step": "BIGINT", "line": "BIGINT", "label": "VARCHAR",
        "value": "VARCHAR", "number": "DOUBLE",
    },
    "events": {
        "run": "VARCHAR", "rank": "INTEGER", "step": "BIGINT", "time": "DOUBLE", "kind": "VARCHAR", "text": "VARCHAR",
    },
}  # fmt: skip
