"""Defects to put into the programs: what is replaced by what, and which check must fail."""

from dataclasses import dataclass
from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"
OPTIONS = {  # what `surefoot check` must be told about a program
    "resumable": [
        "--accumulate-option=--accumulate", "--batch-option=--batch-size", "--resume-with=--resume last.pt",
    ],
}  # fmt: skip


@dataclass(frozen=True)
class Defect:
    name: str
    program: str
    old: str
    new: str
    check: str

    def code(self) -> str:
        text = (PROGRAMS / f"{self.program}.py").read_text(encoding="utf-8")
        assert text.count(self.old) >= 1, f"{self.program} has no {self.old!r}"
        return text.replace(self.old, self.new)


OVERFIT, INPUT, SAMPLES = "overfits-one-batch", "needs-its-input", "samples-are-independent"
FUTURE, FIRST, SEEDS = "the-future-is-hidden", "first-loss-is-what-chance-predicts", "equal-seeds-agree"
MODES, ACCUMULATION, RESUME = "modes-matter", "accumulation-is-equivalent", "resume-is-equivalent"

DEFECTS = [
    Defect("rate of zero", "tabular", "lr=1e-3", "lr=0.0", OVERFIT),
    Defect("optimizer of another model", "tabular", "Adam(model.parameters()", "Adam(__import__('copy').deepcopy(model).parameters()", OVERFIT),
    Defect("gradients cleared before the step", "tabular", "loss.backward()", "loss.backward()\n        optimizer.zero_grad()", OVERFIT),
    Defect("features detached", "tabular", "cross_entropy(model(inputs), targets)", "cross_entropy(head(body(inputs).detach()), targets)", OVERFIT),
    Defect("sign of the loss", "tabular", "loss.backward()", "(-loss).backward()", OVERFIT),
    Defect("labels drawn anew", "tabular", "model(inputs), targets)", "model(inputs), targets[torch.randperm(len(targets))])", OVERFIT),
    Defect("labels shuffled against inputs", "tabular", "loader = ", "y = y[torch.randperm(len(y))]\nloader = ", INPUT),
    Defect("zeros instead of inputs", "tabular", "model(inputs)", "model(torch.zeros_like(inputs))", INPUT),
    Defect("large initial weights", "tabular", "optimizer = ", "for p in model.parameters():\n    p.data.mul_(30)\noptimizer = ", FIRST),
    Defect("noise of an unseeded generator", "tabular", "model(inputs)", "model(inputs + 0.01 * __import__('random').random())", SEEDS),
    Defect("weights of an unseeded generator", "tabular", "optimizer = ", "head.weight.data = torch.tensor(__import__('numpy').random.randn(3, 64) * 0.1).float()\noptimizer = ", SEEDS),
    Defect("trained in eval mode", "tabular", "for epoch in range(5):", "model.eval()\nfor epoch in range(5):", MODES),
    Defect("features viewed as another shape", "images", "self.fc(x.flatten(1))", "self.fc(x.permute(1, 2, 3, 0).reshape(x.shape[0], -1))", SAMPLES),
    Defect("dropout always on", "images", "F.dropout(x, 0.1, training=self.training)", "F.dropout(x, 0.1)", MODES),
    Defect("input multiplied by zero", "images", "def forward(self, x):\n", "def forward(self, x):\n        x = x * 0\n", INPUT),
    Defect("rate far too high", "images", "default=0.05", "default=500.0", OVERFIT),
    Defect("target without its dimension", "by_hand", "mse_loss(prediction, Y[chosen])", "mse_loss(prediction, Y[chosen].squeeze(1))", OVERFIT),
    Defect("input dropped", "by_hand", "model(X[chosen])", "model(X[chosen] * 0)", INPUT),
    Defect("no causal mask", "language_model", "is_causal=True", "is_causal=False", FUTURE),
    Defect("initial weights of variance one", "language_model", "optimizer = ", "for p in model.parameters():\n    nn.init.normal_(p)\noptimizer = ", FIRST),
    Defect("window starts unseeded", "language_model", "ix = torch.randint(len(data) - block_size - 1, (batch_size,))", "ix = [__import__('random').randrange(len(data) - block_size - 1) for _ in range(batch_size)]", SEEDS),
    Defect("batch taken for time", "sequences", "nn.LSTM(2, 24, batch_first=True)", "nn.LSTM(2, 24)", SAMPLES),
    Defect("sequences viewed time first", "sequences", "self.rnn(x)", "self.rnn(x.reshape(20, -1, 2).reshape(-1, 20, 2).flip(0).view(20, -1, 2).transpose(0, 1))", SAMPLES),
    Defect("labels of other samples", "dict_batches", 'loader = DataLoader(make(1200)', 'samples = make(1200)\nfor i, one in enumerate(samples):\n    one["labels"] = torch.tensor(i * 7919 % 1200 % 2)\nloader = DataLoader(samples', INPUT),
    Defect("head not in the optimizer, body frozen", "dict_batches", "AdamW(model.parameters()", "AdamW([nn.Parameter(torch.zeros(1))]", OVERFIT),
    Defect("code multiplied by zero", "autoencoder", "code = self.encoder(x)", "code = self.encoder(x) * 0", INPUT),
    Defect("code detached", "autoencoder", "code = self.encoder(x)", "code = self.encoder(x).detach()", OVERFIT),
    Defect("generator of numpy unseeded", "augmented", "np.random.seed(7)\n", "", SEEDS),
    Defect("attends over the batch", "attention", "MultiheadAttention(16, 2, batch_first=True)", "MultiheadAttention(16, 2)", SAMPLES),
    Defect("subtracts the mean of the batch", "attention", "self.inner(x).relu()", "(x - x.mean(0))\n        h = self.inner(h).relu()", SAMPLES),
    Defect("convolution sees the future", "forecast", "(4, 0)", "(2, 2)", FUTURE),
    Defect("loss not divided", "resumable", " / args.accumulate\n", "\n", ACCUMULATION),
    Defect("only the last micro-batch counts", "resumable", "        loss = nn", "        optimizer.zero_grad()\n        loss = nn", ACCUMULATION),
    Defect("optimizer not restored", "resumable", '    optimizer.load_state_dict(state["optimizer"])\n', "", RESUME),
    Defect("schedule not restored", "resumable", '    scheduler.load_state_dict(state["scheduler"])\n', "", RESUME),
    Defect("data order starts again", "resumable", "skip = update * args.accumulate", "skip = 0", RESUME),
    Defect("weights not restored", "resumable", '    model.load_state_dict(state["model"])\n', "", RESUME),
    Defect("prediction detached", "trainer", "self.model(x).squeeze(1), y)\n            self", "nn.functional.dropout(self.model(x), 0.9, training=False).squeeze(1).detach().requires_grad_(), y)\n            self", OVERFIT),
    Defect("targets of the neighbours", "fine_tuned", "model(inputs), targets)", "model(inputs), targets.roll(1))", INPUT),
    Defect("rate of zero", "contrastive", "lr=1e-3", "lr=0.0", OVERFIT),
    Defect("noise of an unseeded generator", "contrastive", "encoder(x + 0.3 * torch.randn_like(x)), dim=1)\n        b", "encoder(x + 0.3 * __import__('random').random()), dim=1)\n        b", SEEDS),
    Defect("sign of the loss", "sequences", "loss.backward()", "(-loss).backward()", OVERFIT),
    Defect("input multiplied by zero", "sequences", "self.rnn(x)", "self.rnn(x * 0)", INPUT),
    Defect("gradients cleared before the step", "forecast", "loss.backward()", "loss.backward()\n        optimizer.zero_grad()", OVERFIT),
    Defect("trained in eval mode", "trainer", "self.model.train()", "self.model.eval()", MODES),
    Defect("code detached", "vae", "z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()", "z = (mu + torch.randn_like(mu) * (0.5 * logvar).exp()).detach()", OVERFIT),
]  # fmt: skip
