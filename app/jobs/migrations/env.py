"""Alembic's entry point; `app.jobs.database` hands it an open connection."""

from alembic import context

from app.jobs.tables import Tables

context.configure(connection=context.config.attributes["connection"], target_metadata=Tables.metadata, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
