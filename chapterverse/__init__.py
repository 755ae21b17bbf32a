"""Embeddable document search whose every answer links back to its page and rectangle."""

__version__ = "0.1.0"
