"""Alembic environment: the caller hands over a connection; the command line may name a URL.

On the caller's connection all migrations are one transaction, which the caller commits.
"""

from alembic import context
from sqlalchemy import create_engine, pool

config = context.config
url = config.get_main_option("sqlalchemy.url") or ""
given = config.attributes.get("connection")

if context.is_offline_mode():
    context.configure(url=url, literal_binds=True, render_as_batch=True)
    with context.begin_transaction():
        context.run_migrations()
elif given is not None:
    context.configure(connection=given, render_as_batch=True, transactional_ddl=True)
    with context.begin_transaction():
        context.run_migrations()
else:
    engine = create_engine(url, poolclass=pool.NullPool)
    with engine.connect() as connection:
        context.configure(connection=connection, render_as_batch=True)
        with context.begin_transaction():
            context.run_migrations()
    engine.dispose()
