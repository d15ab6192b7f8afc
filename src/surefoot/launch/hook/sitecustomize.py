# Python imports this at its start because our folder is the first on PYTHONPATH. Plain statements, so that even an
# interpreter that surefoot does not support gets to the end, where the program sees what it would have seen anyway.
import os
import sys

_hook = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120
_follow = os.environ.pop("SUREFOOT_FOLLOW", "")
_others = [_entry for _entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if _entry != _hook]
if _others:
    os.environ["PYTHONPATH"] = os.pathsep.join(_others)
else:
    os.environ.pop("PYTHONPATH", None)
try:
    if _follow:
        __import__("surefoot_hook").follow(_follow)
except Exception:
    pass
sys.path[:] = [_entry for _entry in sys.path if _entry != _hook]
sys.path_importer_cache.pop(_hook, None)
sys.modules.pop("sitecustomize", None)
import sitecustomize  # type: ignore[import-not-found]  # noqa: E402, F401 - the one that we hid; if there is none, `site` expects this to fail
