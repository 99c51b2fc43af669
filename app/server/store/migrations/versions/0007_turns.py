"""Turns: priorities and ranks of jobs, and recent work for owners."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

UNFINISHED = sa.text("finished IS NULL")
INDEXES = {"ix_jobs_turn": ["priority", "owner", "rank", "id"], "ix_jobs_oldest": ["created", "id"]}


def upgrade() -> None:
    """Add the columns, the table and the indexes; what waits keeps its place by age and size."""
    with op.batch_alter_table("jobs") as jobs:
        jobs.add_column(sa.Column("priority", sa.Integer, nullable=False, server_default="1"))
        jobs.add_column(sa.Column("rank", sa.Float, nullable=False, server_default="0"))
    op.execute("UPDATE jobs SET rank = created + 0.1 * (total - done)")
    for name, columns in INDEXES.items():
        op.create_index(name, "jobs", columns, sqlite_where=UNFINISHED, postgresql_where=UNFINISHED)
    op.create_table(
        "owner_shares", sa.Column("owner", sa.String(100), primary_key=True), sa.Column("served", sa.Float, nullable=False)
    )
    op.create_index("ix_owner_shares_served", "owner_shares", ["served", "owner"])
    op.execute("INSERT INTO owner_shares (owner, served) SELECT DISTINCT owner, 0 FROM jobs WHERE state IN ('queued', 'running')")


def downgrade() -> None:
    """Remove them."""
    op.drop_table("owner_shares")
    for name in INDEXES:
        op.drop_index(name, "jobs")
    with op.batch_alter_table("jobs") as jobs:
        jobs.drop_column("rank")
        jobs.drop_column("priority")
