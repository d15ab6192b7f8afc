"""The build hook: before a wheel, an sdist or an editable install is made, the page's library must be there.

pip compiles what it installs, but not what an editable install points to. Where Python may not write bytecode
(PYTHONDONTWRITEBYTECODE), every run would compile some 300 modules.
"""

import compileall
import importlib.util
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class VendorHook(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        spec = importlib.util.spec_from_file_location("vendor", Path(self.root) / "tools" / "vendor.py")
        assert spec is not None and spec.loader is not None
        module = sys.modules["vendor"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.vendor(Path(self.root))
        if version == "editable":
            compileall.compile_dir(Path(self.root) / "src" / "surefoot", quiet=2)
