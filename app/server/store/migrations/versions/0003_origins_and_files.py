"""Origins of jobs: owner, idempotency key and webhook; and the input files of jobs."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the columns and the table."""
    with op.batch_alter_table("jobs") as jobs:
        jobs.add_column(sa.Column("owner", sa.String(100)))
        jobs.add_column(sa.Column("idempotency_key", sa.String(200)))
        jobs.add_column(sa.Column("request_digest", sa.String(64)))
        jobs.add_column(sa.Column("webhook", sa.Text))
        jobs.add_column(sa.Column("webhook_due", sa.Float))
        jobs.add_column(sa.Column("webhook_attempts", sa.Integer, nullable=False, server_default="0"))
        jobs.create_index("ix_jobs_idempotency_key", ["idempotency_key"], unique=True)
        jobs.create_index("ix_jobs_webhook_due", ["webhook_due"])
    op.create_table(
        "job_files",
        sa.Column("job_id", sa.String(32), sa.ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("role", sa.String(16), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )


def downgrade() -> None:
    """Drop them."""
    op.drop_table("job_files")
    with op.batch_alter_table("jobs") as jobs:
        jobs.drop_index("ix_jobs_webhook_due")
        jobs.drop_index("ix_jobs_idempotency_key")
        for name in ("owner", "idempotency_key", "request_digest", "webhook", "webhook_due", "webhook_attempts"):
            jobs.drop_column(name)
