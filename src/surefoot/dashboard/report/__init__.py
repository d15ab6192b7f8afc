"""A run as one HTML file that needs nothing else: for sending, and for the cell of a notebook."""

from surefoot.dashboard.report.card import card_html
from surefoot.dashboard.report.html import Page, notebook_html, report_html

__all__ = ["Page", "card_html", "notebook_html", "report_html"]
