"""Watch train and eval mode: who is switched, which mode a step trains in, how models are evaluated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from surefoot.facts import EvalModeFacts, ModeFacts
from surefoot.watch.account import Account
from surefoot.watch.mode.layer_watch import LayerWatch
from surefoot.watch.mode.patches import patch_all
from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from torch.optim import Optimizer

    from surefoot.watch.backward import Backward
    from surefoot.watch.recorder import Recorder


class ModeProbe(Probe):
    name = "mode"
    sleepless = True  # whether an evaluation ran after the last step tells what it is

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._layers = LayerWatch(recorder)
        self._in_eval: dict[int, EvalModeFacts | None] = {}  # by optimizer, at the last backward
        self._version = 0  # of the switches, for which that holds
        self._num_in_train: Counter[int] = Counter()  # steps in train mode, by optimizer
        self._since: Counter[int] = Counter()  # the step before an optimizer's last one
        self._previous: Counter[int] = Counter()
        patch_all(recorder, self._layers)

    def backward_begins(self, backward: Backward) -> None:
        if self._recorder.lanes.here().backward_stack:
            return
        layers = self._layers
        layers.evaluations.end_phase(by_backward=True)
        layers.switches.eval_is_new = False
        if layers.switches.version != self._version:
            self._version = layers.switches.version
            self._in_eval.clear()
        for account in self._recorder.accounts.values():
            self._eval_mode_of(account)

    def step_begins(self, optimizer: Optimizer) -> Hashable:
        account = self._recorder.accounts.get(optimizer)
        if account is None:
            return None
        layers = self._layers
        if not self._recorder.lanes.here().backward_stack:
            layers.evaluations.end_phase(by_backward=False)
        if layers.evaluations.has_news:
            self._recorder.record_due = True
        layers.switches.step_begins()
        in_eval = self._count_steps(account, 1)
        return (in_eval, layers.batchnorms.shape)

    def slept(self, account: Account, num_steps: int) -> None:
        self._layers.switches.step_begins()
        self._count_steps(account, num_steps)

    def _count_steps(self, account: Account, num_steps: int) -> EvalModeFacts | None:
        layers, number = self._layers, account.id
        in_eval = self._eval_mode_of(account)
        if num_steps > 1:
            layers.progress.step(account, num_steps - 1)
            self._previous[number] = layers.progress.num_steps
        layers.progress.step(account)
        layers.batchnorms.step_begins(layers.progress.num_steps)
        self._num_in_train[number] += num_steps if in_eval is None else 0
        self._since[number] = self._previous[number]
        self._previous[number] = layers.progress.num_steps
        return in_eval

    def _eval_mode_of(self, account: Account) -> EvalModeFacts | None:
        if account.id not in self._in_eval:
            self._in_eval[account.id] = self._layers.switches.eval_mode_of(account)
        return self._in_eval[account.id]

    def step_facts(self, optimizer: Optimizer) -> dict[str, Any]:
        account = self._recorder.accounts.get(optimizer)
        if account is None:
            return {}
        layers, names = self._layers, self._recorder.names
        in_eval = self._eval_mode_of(account)
        if in_eval is not None:
            in_eval = replace(in_eval, num_steps_in_train=self._num_in_train[account.id])
        mode = ModeFacts(
            in_eval=in_eval,
            num_batchnorm_trained=layers.batchnorms.num_trained(account, self._since[account.id]),
            tiny_batch=layers.batchnorms.tiny_batch(account, names),
            drift=layers.batchnorms.drift(names),
        )
        told = {"mode": mode} if mode != ModeFacts() else {}
        return {**told, "evaluations": layers.evaluations.take()}

    def end_facts(self) -> dict[str, Any]:
        self._layers.evaluations.end_phase(by_backward=False)
        return {"evaluations": self._layers.evaluations.all_lines()}
