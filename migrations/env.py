"""Alembic environment: the caller hands over the URL; the command line may use the default."""

from alembic import context
from sqlalchemy import create_engine, pool

config = context.config
url: str = config.attributes.get("url") or config.get_main_option("sqlalchemy.url") or ""

if context.is_offline_mode():
    context.configure(url=url, literal_binds=True, render_as_batch=True)
    with context.begin_transaction():
        context.run_migrations()
else:
    engine = create_engine(url, poolclass=pool.NullPool)
    with engine.connect() as connection:
        context.configure(connection=connection, render_as_batch=True)
        with context.begin_transaction():
            context.run_migrations()
    engine.dispose()
