"""A program runs under surefoot as it runs under Python. These need no torch."""

import signal
import zipfile
from pathlib import Path

import pytest

from tests.cli.command import python, surefoot, write
from tests.launch.same import run_both

NOTHING_SEEN = "surefoot: no optimizer step was seen, so there was little to judge; 0 findings in 0 steps; "

CHAIN = """
def f():
    g()
def g():
    try:
        1 / 0
    except Exception as error:
        raise ValueError("x") from error
f()
"""


def test_a_script_sees_what_it_would_see(tmp_path: Path) -> None:
    write(tmp_path / "sub" / "neighbour.py", "NAME = __name__")
    write(
        tmp_path / "sub" / "script.py",
        """
        '''Its own docstring.'''
        import sys, pickle, __main__
        import neighbour
        print(sys.argv, sys.path[0], __file__, __name__, __package__, __spec__, __doc__, __builtins__, sep="\\n")
        print(type(__loader__), __loader__.name, __loader__.path, __cached__, __annotations__)
        print(sorted(globals()))
        print(__main__.__dict__ is globals(), sys.modules["__main__"] is __main__, neighbour.NAME)
        class Kept: pass
        print(type(pickle.loads(pickle.dumps(Kept()))) is Kept)
        if __name__ == "__main__":
            print("main", open("data.txt").read())
        """,
    )
    write(tmp_path / "data.txt", "relative to the working folder")
    (tmp_path / "link.py").symlink_to(tmp_path / "sub" / "script.py")
    for script in ("sub/script.py", "./sub/script.py", "sub/../sub/script.py", "link.py", tmp_path / "sub/script.py"):
        added = run_both(script, "--lr", "0.1", "-m", "--", "--report", cwd=tmp_path)
        assert added.out.count(b"\n") == 13
        assert added.err.startswith(NOTHING_SEEN)


def test_a_module_sees_what_it_would_see(tmp_path: Path) -> None:
    write(tmp_path / "package" / "__init__.py", "import sys\nprint('init', sys.argv[0])")
    write(tmp_path / "package" / "other.py", "VALUE = 7")
    code = """
        import sys
        from . import other
        from .other import VALUE
        print(sys.argv, sys.path[0], __file__, __name__, __package__, __spec__.name, VALUE)
        """
    write(tmp_path / "package" / "train.py", code)
    write(tmp_path / "package" / "__main__.py", code)
    for module in ("package.train", "package"):
        added = run_both("-m", module, "--lr", "-m", "x", cwd=tmp_path)
        assert b"other" not in added.out and b" 7\n" in added.out


def test_folders_archives_and_compiled_files_run(tmp_path: Path) -> None:
    source = write(tmp_path / "app" / "__main__.py", "import sys, part\nprint(sys.argv, sys.path[0], part.x, __file__)")
    write(tmp_path / "app" / "part.py", "x = 3")
    with zipfile.ZipFile(tmp_path / "app.pyz", "w") as archive:
        for file in source.parent.glob("*.py"):
            archive.write(file, file.name)
    write(tmp_path / "alone.py", "import sys\nprint(sys.argv, __file__)")
    python("-c", "import py_compile; py_compile.compile('alone.py', 'alone.pyc')", cwd=tmp_path)
    for program in ("app", "app.pyz", "alone.pyc"):
        assert run_both(program, "x", cwd=tmp_path).out


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("import sys; sys.exit()", 0),
        ("import sys; sys.exit(0)", 0),
        ("import sys; sys.exit(7)", 7),
        ("import sys; sys.exit(True)", 1),
        ("import sys; sys.exit('what a pity')", 1),
        ("raise SystemExit", 0),
        ("import os; os._exit(3)", 3),
        ("raise KeyError('gone')", 1),
        (CHAIN, 1),
        ("raise ExceptionGroup('several', [ValueError(1), TypeError(2)])", 1),
        ("x = (", 1),
        ("import sys\nsys.excepthook = lambda *a: print('mine', a[0].__name__)\nraise KeyError('gone')", 1),
        ("import sys\nsys.excepthook = lambda *a: 1 / 0\nraise KeyError('gone')", 1),
        ("import json\njson.loads('{')", 1),
        ("import no_such_module", 1),
    ],
)  # fmt: skip
def test_it_ends_as_it_would_end(code: str, status: int, tmp_path: Path) -> None:
    write(tmp_path / "script.py", code)
    added = run_both("script.py", cwd=tmp_path)
    assert added.status == status
    assert ("surefoot:" in added.err) == ("os._exit" not in code)


def test_what_is_no_python_is_refused_as_python_does(tmp_path: Path) -> None:
    (tmp_path / "image.png").write_bytes(b"\x89PNG\x00\x01")
    done = surefoot("run", "image.png", cwd=tmp_path)
    assert done.status == 1
    assert "SyntaxError" in done.err and "surefoot/" not in done.err
    assert done.err.splitlines()[-1].startswith(NOTHING_SEEN)


def test_exit_functions_and_threads_come_before_the_report(tmp_path: Path) -> None:
    write(
        tmp_path / "script.py",
        """
        import atexit, sys, threading, time
        from concurrent.futures import ThreadPoolExecutor
        def late(seconds=0.4): time.sleep(seconds); print("thread", file=sys.stderr, flush=True)
        atexit.register(lambda: print("first registered", file=sys.stderr, flush=True))
        atexit.register(lambda: print("last registered", file=sys.stderr, flush=True))
        pool = ThreadPoolExecutor(2)
        pool.submit(late, 0.1)
        threading.Thread(target=late).start()
        class Gone:
            def __del__(self): print("deleted", flush=True)
        kept = Gone()
        print("main ends", file=sys.stderr, flush=True)
        """,
    )
    plain = python("script.py", cwd=tmp_path)
    watched = surefoot("run", "script.py", cwd=tmp_path)
    assert watched.out == plain.out == b"deleted\n"
    assert watched.err == plain.err + watched.err.splitlines(keepends=True)[-1]
    assert plain.err.splitlines()[-1] == "first registered"


def test_warnings_name_the_same_lines(tmp_path: Path) -> None:
    write(
        tmp_path / "library.py",
        "import warnings\ndef old():\n    warnings.warn('old', DeprecationWarning, stacklevel=2)",
    )
    write(tmp_path / "script.py", "import warnings, library\nlibrary.old()\nwarnings.warn('mine')\nx = 1 is 1\n")
    run_both("script.py", cwd=tmp_path)


def test_spawned_children_find_main(tmp_path: Path) -> None:
    code = """
        import multiprocessing
        class Job:
            def __init__(self, n): self.n = n
        def work(job, queue): queue.put(("done", job.n, __name__))
        if __name__ == "__main__":
            for method in ("spawn", "fork"):
                context = multiprocessing.get_context(method)
                queue = context.SimpleQueue()
                process = context.Process(target=work, args=(Job(3), queue))
                process.start()
                print(queue.get())
                process.join()
                print(process.exitcode, sorted(vars(process)))
        """
    write(tmp_path / "script.py", code)
    write(tmp_path / "package" / "__init__.py", "")
    write(tmp_path / "package" / "train.py", "from . import __name__ as parent\n" + code.replace("\n        ", "\n"))
    assert run_both("script.py", cwd=tmp_path).out.startswith(b"('done', 3, '__mp_main__')\n0 ")
    assert run_both("-m", "package.train", cwd=tmp_path).out.startswith(b"('done', 3, '__mp_main__')\n0 ")


def test_a_forked_child_that_runs_to_the_end_does_not_report(tmp_path: Path) -> None:
    write(
        tmp_path / "script.py",
        "import os, sys\nif os.fork() == 0:\n    sys.exit(5)\nprint(os.waitstatus_to_exitcode(os.wait()[1]))",
    )
    added = run_both("script.py", cwd=tmp_path)
    assert added.out == b"5\n"
    assert added.err.count("surefoot:") == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_killed_programs_report_and_die_of_the_signal(number: signal.Signals, tmp_path: Path) -> None:
    write(
        tmp_path / "script.py",
        f"""
        import os
        try:
            print("ready", flush=True)
            os.kill(os.getpid(), {int(number)})
        finally:
            print("cleaned up")
        """,
    )
    added = run_both("script.py", cwd=tmp_path)
    assert added.status == -number
    assert added.err.startswith(NOTHING_SEEN)


def test_a_handler_of_the_program_stays_in_charge(tmp_path: Path) -> None:
    write(
        tmp_path / "script.py",
        """
        import os, signal, sys
        signal.signal(signal.SIGTERM, lambda *a: (print("mine"), sys.exit(4)))
        os.kill(os.getpid(), signal.SIGTERM)
        """,
    )
    assert run_both("script.py", cwd=tmp_path).status == 4


def test_stdout_is_the_programs_own_bytes(tmp_path: Path) -> None:
    write(tmp_path / "script.py", "import sys\nsys.stdout.buffer.write(bytes(range(256)))\nsys.stderr.close()\n")
    plain = python("script.py", cwd=tmp_path)
    watched = surefoot("run", "--format", "json", "script.py", cwd=tmp_path)
    assert watched.out == plain.out == bytes(range(256))
    assert watched.status == plain.status == 0
