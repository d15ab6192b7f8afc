"""What a command line tells about a Python process."""

from __future__ import annotations

import os

ISOLATING = {"I": "-I", "E": "-E", "S": "-S"}  # with these, Python does not load the hook


def is_python(argv: list[str]) -> bool:
    name = os.path.basename(argv[0]).lower() if argv else ""  # noqa: PTH119
    return name.startswith(("python", "pypy"))


def parse(argv: list[str]) -> tuple[str, str, str]:
    """Single-letter options of Python; "-m", "-c" or "" for a script; the module, code or script."""
    flags, words = "", iter(argv[1:])
    for word in words:
        if word == "-" or not word.startswith("-"):
            return flags, "", word
        if word.startswith("--"):
            if word == "--check-hash-based-pycs":
                next(words, "")
            continue
        for at, letter in enumerate(word[1:], 2):
            if letter in "mc":
                return flags, "-" + letter, word[at:] or next(words, "")
            if letter in "XW":
                if not word[at:]:
                    next(words, "")
                break
            flags += letter
    return flags, "", "-"


def name(argv: list[str]) -> str:
    """As people call it."""
    _, kind, program = parse(argv)
    if kind == "-c" or program == "-":
        return "python " + (kind or "-")
    return program if kind == "-m" else os.path.basename(program)  # noqa: PTH119


def isolating(argv: list[str]) -> str:
    """The option that keeps the hook out, or nothing."""
    return next((ISOLATING[flag] for flag in parse(argv)[0] if flag in ISOLATING), "")


def role(argv: list[str]) -> str:
    """program: may train. worker: of multiprocessing, which says later what it does. Others are left alone."""
    _, kind, program = parse(argv)
    if (kind == "-m" and program.split(".")[0] == "surefoot") or os.path.basename(program) == "surefoot":  # noqa: PTH119
        return "surefoot"  # it watches and reports by itself
    if "--multiprocessing-fork" in argv or (kind == "-c" and "multiprocessing.forkserver" in program):
        return "worker"
    if kind == "-c" and "multiprocessing." in program and "_tracker" in program:
        return "helper"
    where = program.replace(os.sep, ".")
    return "helper" if "torch._inductor" in where else "program"
