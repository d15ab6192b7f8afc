"""Tell people and programs outside what happens in a run: alerts by chat, mail, webhook or command, and metrics."""

from surefoot.alerts.desk import Desk
from surefoot.alerts.endpoint import Endpoint
from surefoot.alerts.outward import Outward
from surefoot.alerts.request import Request, alert, as_requests

__all__ = ["Desk", "Endpoint", "Outward", "Request", "alert", "as_requests"]
