"""How a run's loss ended: what it did in its second half, what that says about a longer run, and what next."""

from surefoot.report.convergence.curve import Curve
from surefoot.report.convergence.noise import Noise, stored_noise
from surefoot.report.convergence.stored import stored_loss_summary
from surefoot.report.convergence.summary import loss_summary

__all__ = ["Curve", "Noise", "loss_summary", "stored_loss_summary", "stored_noise"]
