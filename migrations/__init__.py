"""Alembic scripts, shipped with the package and applied when a knowledge base is opened."""
