"""Alembic's entry point; `app.server.store.database` hands it an open connection."""

from alembic import context

from app.server.store.tables import Tables

context.configure(connection=context.config.attributes["connection"], target_metadata=Tables.metadata, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
