"""Owners and workers apart, progress inside a step, what steps record and publish, room for longer names."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

LONGER = (("jobs", "kind"), ("job_files", "role"), ("feedback", "pair"), ("feedback", "label"))


def upgrade() -> None:
    """Change the columns and add the tables."""
    # Workers of the version before cannot go on with these tables: what they held is free.
    op.execute("UPDATE jobs SET lease_owner = NULL, lease_expires = 0")
    op.execute("UPDATE jobs SET owner = '' WHERE owner IS NULL")
    with op.batch_alter_table("jobs") as jobs:
        jobs.drop_index("ix_jobs_idempotency_key")
        jobs.alter_column("lease_owner", new_column_name="worker", existing_type=sa.String(200), type_=sa.String(64))
        jobs.alter_column("owner", existing_type=sa.String(100), nullable=False, server_default="")
        jobs.add_column(sa.Column("step", sa.Text))
        jobs.add_column(sa.Column("step_share", sa.Float))
        jobs.create_index("ix_jobs_owner_idempotency_key", ["owner", "idempotency_key"], unique=True)
    for table, column in LONGER:
        _resize(table, column, 16, 64)
    op.create_table(
        "checkpoints",
        sa.Column("job_id", sa.String(32), sa.ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "publications",
        sa.Column("job_id", sa.String(32), sa.ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.Column("updated", sa.Float, nullable=False),
    )


def downgrade() -> None:
    """Change them back, as far as what is in them fits."""
    op.drop_table("publications")
    op.drop_table("checkpoints")
    for table, column in LONGER:
        _resize(table, column, 64, 16)
    with op.batch_alter_table("jobs") as jobs:
        jobs.drop_index("ix_jobs_owner_idempotency_key")
        jobs.drop_column("step_share")
        jobs.drop_column("step")
        jobs.alter_column("owner", existing_type=sa.String(100), nullable=True, server_default=None)
        jobs.alter_column("worker", new_column_name="lease_owner", existing_type=sa.String(64), type_=sa.String(200))
        jobs.create_index("ix_jobs_idempotency_key", ["idempotency_key"], unique=True)


def _resize(table: str, column: str, old: int, new: int) -> None:
    with op.batch_alter_table(table) as batch:
        batch.alter_column(column, existing_type=sa.String(old), type_=sa.String(new), existing_nullable=False)
