"""Runs a program with one of the small packages hooked in as its documentation says. Lives in the peers' environment.

    python peer_driver.py PEER PROGRAM RESULT.json

Their users write one to three lines into their loop. Here the lines are put in from outside: the model is the
outermost module that ran last and holds parameters of the optimizer, the loss is the tensor that `backward()` is
called on, batch and target are what the model and torch's own loss function were called with.
gradsnitch and torch-audit watch the whole run; guardtower and torchtest2 check the first batch, before the first step.
"""

import gc
import json
import runpy
import sys
from pathlib import Path

import torch
import torch.nn.functional as F  # noqa: N812
from torch.optim.optimizer import register_optimizer_step_pre_hook

_LOSSES = (
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cross_entropy", "kl_div", "l1_loss", "mse_loss",
    "nll_loss", "smooth_l1_loss",
)  # fmt: skip


class Stage:
    """What the program did last."""

    def __init__(self):
        self.optimizers = []
        self.inputs = {}  # module -> arguments of its last call
        self.loss = None
        self.criterion = None  # (function, target, keywords)
        self.on_backward = lambda: None
        self.inside = False
        self._models = {}  # looking for one goes through every object there is
        self._hook_forward()
        self._hook_backward()
        self._hook_optimizers()
        self._hook_losses()

    def model(self, optimizer=None):
        """The outermost module that ran last and shares parameters with the optimizer."""
        ran = (optimizer, *self.inputs)
        if ran not in self._models:
            self._models[ran] = self._find_model(optimizer)
        return self._models[ran]

    def _find_model(self, optimizer):
        inner = {child for m in gc.get_objects() if isinstance(m, torch.nn.Module) for child in m.children()}
        outer = [m for m in self.inputs if m not in inner and any(True for _ in m.parameters())]
        held = {p for o in ([optimizer] if optimizer else self.optimizers) for g in o.param_groups for p in g["params"]}
        own = [m for m in outer if held.intersection(m.parameters())]
        return (own or outer or [None])[-1]

    def _hook_forward(self):
        def note(module, args):
            if not self.inside:
                self.inputs.pop(module, None)
                self.inputs[module] = args

        torch.nn.modules.module.register_module_forward_pre_hook(note)

    def _hook_backward(self):
        backward = torch.Tensor.backward

        def watched(tensor, *args, **kwargs):
            if not self.inside:
                self.loss = tensor
                self.on_backward()
            return backward(tensor, *args, **kwargs)

        torch.Tensor.backward = watched

    def _hook_optimizers(self):
        create = torch.optim.Optimizer.__init__

        def watched(optimizer, *args, **kwargs):
            create(optimizer, *args, **kwargs)
            if not self.inside:
                self.optimizers.append(optimizer)

        torch.optim.Optimizer.__init__ = watched

    def _hook_losses(self):
        for name in _LOSSES:
            function = getattr(F, name)

            def watched(input, target, *args, function=function, **kwargs):  # noqa: A002 - torch's name for it
                if not self.inside and input.requires_grad:
                    self.criterion = (function, target, args, kwargs)
                return function(input, target, *args, **kwargs)

            setattr(F, name, watched)


def gradsnitch(stage):
    import gradsnitch

    monitors = {}

    def before_step(optimizer, args, kwargs):
        if stage.loss is None:
            return
        if optimizer not in monitors:
            monitors[optimizer] = gradsnitch.watch(stage.model(optimizer), optimizer)
        monitor = monitors[optimizer]
        monitor.log(len(monitor.rows), float(stage.loss.detach()))

    register_optimizer_step_pre_hook(before_step)

    def finish():
        found = [f for monitor in monitors.values() for f in gradsnitch.lint(monitor.df())]
        return [(f.code, f.severity, f.name) for f in found]

    return finish


def torch_audit(stage):
    from torch_audit import autopatch

    auditors = {}

    def before_step(optimizer, args, kwargs):
        model = stage.model(optimizer)
        if model is not None and model not in auditors:
            auditors[model] = autopatch(model, optimizer=optimizer, every_n_steps=1, suppress_internal_errors=True)

    register_optimizer_step_pre_hook(before_step)

    def finish():
        found = [f for auditor in auditors.values() for f in auditor.finish(report=False).findings]
        return [(f.rule_id, f.severity.value.lower(), f.message) for f in found]

    return finish


class FirstBatch(SystemExit):
    """Raised once the first batch was checked: the rest of the run is not needed."""


def before_first_step(stage, check):
    result = []

    def on_backward():
        stage.inside = True
        result.extend(check())
        raise FirstBatch(0)

    stage.on_backward = on_backward
    return lambda: result


def guardtower(stage):
    import guardtower as package

    def check():
        model = stage.model()
        optimizer = stage.optimizers[-1] if stage.optimizers else None
        report = package.audit(model, lambda: stage.loss, optimizer=optimizer)
        names = {package.report.Severity.ERROR: "error", package.report.Severity.WARN: "warning"}
        return [(f.catalog_id or f.check, names.get(f.severity, "info"), f.message) for f in report]

    return before_first_step(stage, check)


def torchtest2(stage):
    import torchtest2 as package

    def check():
        model = stage.model()
        inputs = stage.inputs[model]
        optimizer = stage.optimizers[-1] if stage.optimizers else None
        loss_fn = target = None
        if stage.criterion is not None:
            function, target, args, kwargs = stage.criterion
            loss_fn = lambda output, y: function(output, y, *args, **kwargs)  # noqa: E731
        batch = inputs[0] if len(inputs) == 1 else inputs
        report = package.check_model(model, batch, target, loss_fn=loss_fn, optimizer=optimizer)
        names = {"FAIL": "error", "WARN": "warning"}
        return [(r.name, names.get(r.status.value.upper(), "info"), r.message) for r in report.results]

    return before_first_step(stage, check)


def main():
    peer, program, result = sys.argv[1:4]
    sys.argv = [program]
    sys.path.insert(0, str(Path(program).parent))
    finish = globals()[peer](Stage())
    trouble = ""
    try:
        runpy.run_path(program, run_name="__main__")
    except SystemExit:
        pass
    except Exception as error:  # a peer that breaks the program, or cannot be used on it
        trouble = f"{type(error).__name__}: {error}"
    try:
        remarks = finish()
    except Exception as error:
        remarks, trouble = [], f"{type(error).__name__}: {error}"
    Path(result).write_text(json.dumps({"remarks": remarks, "trouble": trouble}, default=str))


if __name__ == "__main__":
    main()
