"""How a run's loss ended: what it did in its second half, what that says about a longer run, and what next."""

from surefoot.report.convergence.curve import Curve
from surefoot.report.convergence.noise import Noise, stored_noise
from surefoot.report.convergence.stored import stored_outlook
from surefoot.report.convergence.tell import outlook

__all__ = ["Curve", "Noise", "outlook", "stored_noise", "stored_outlook"]
