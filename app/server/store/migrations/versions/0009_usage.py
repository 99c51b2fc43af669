"""Usage and limits of callers, and stored bytes of owners."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
COUNTED = ("segments", "characters", "requests", "jobs")


def upgrade() -> None:
    """Add the table and the columns, and count what is there."""
    op.create_table(
        "usage_counts",
        sa.Column("owner", sa.String(100), primary_key=True),
        sa.Column("key", sa.String(100), primary_key=True),
        sa.Column("period", sa.String(6), primary_key=True),
        sa.Column("start", sa.BigInteger, primary_key=True, autoincrement=False),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in COUNTED),
    )
    op.add_column("api_keys", sa.Column("rates", sa.Text))
    op.add_column("api_keys", sa.Column("jobs_at_once", sa.Integer))
    op.add_column("api_keys", sa.Column("stored_bytes", sa.BigInteger))
    for table, names in (("jobs", ("stored_bytes", "checkpoint_bytes")), ("feedback", ("stored_bytes",))):
        for name in names:
            op.add_column(table, sa.Column(name, sa.BigInteger, nullable=False, server_default="0"))
    parts = (
        "length(params) + coalesce(length(summary), 0)",
        _sum("chunks", "length(input) + coalesce(length(output), 0)"),
        _sum("job_files", "length(content)"),
        _sum("publications", "length(content)"),
    )
    op.execute(f"UPDATE jobs SET stored_bytes = {' + '.join(parts)}, checkpoint_bytes = {_sum('checkpoints', 'length(content)')}")  # noqa: S608
    op.execute("UPDATE feedback SET stored_bytes = length(content)")
    op.create_index("ix_jobs_owner_bytes", "jobs", ["owner", "stored_bytes", "checkpoint_bytes"])
    op.create_index("ix_feedback_owner_bytes", "feedback", ["owner", "stored_bytes"])


def _sum(table: str, size: str) -> str:
    return f"coalesce((SELECT sum({size}) FROM {table} WHERE {table}.job_id = jobs.id), 0)"  # noqa: S608


def downgrade() -> None:
    """Remove them."""
    op.drop_index("ix_feedback_owner_bytes", "feedback")
    op.drop_index("ix_jobs_owner_bytes", "jobs")
    for table, names in (
        ("feedback", ("stored_bytes",)),
        ("jobs", ("checkpoint_bytes", "stored_bytes")),
        ("api_keys", ("stored_bytes", "jobs_at_once", "rates")),
    ):
        with op.batch_alter_table(table) as batch:
            for name in names:
                batch.drop_column(name)
    op.drop_table("usage_counts")
