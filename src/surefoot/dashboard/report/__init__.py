"""A run as one HTML file that needs nothing else: for sending, and for the cell of a notebook."""

from surefoot.dashboard.report.html import notebook_html, report_html

__all__ = ["notebook_html", "report_html"]
