"""What became of a run's loss: did it converge, does it still improve, since when not, and what next."""

from surefoot.report.convergence.curve import Curve
from surefoot.report.convergence.noise import Noise, stored_noise
from surefoot.report.convergence.stored import stored_outlook
from surefoot.report.convergence.tell import outlook

__all__ = ["Curve", "Noise", "outlook", "stored_noise", "stored_outlook"]
