"""Jobs and chunks."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make both tables."""
    op.create_table(
        "jobs",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("state", sa.String(16), nullable=False, index=True),
        sa.Column("params", sa.Text, nullable=False),
        sa.Column("total", sa.Integer, nullable=False),
        sa.Column("done", sa.Integer, nullable=False),
        sa.Column("created", sa.Float, nullable=False, index=True),
        sa.Column("started", sa.Float),
        sa.Column("finished", sa.Float),
        sa.Column("taken", sa.Float),
        sa.Column("done_when_taken", sa.Integer, nullable=False),
        sa.Column("lease_owner", sa.String(200)),
        sa.Column("lease_expires", sa.Float, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("cancel_requested", sa.Integer, nullable=False),
        sa.Column("error", sa.Text),
        sa.Column("summary", sa.Text),
    )
    op.create_table(
        "chunks",
        sa.Column("job_id", sa.String(32), sa.ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("rows", sa.Integer, nullable=False),
        sa.Column("input", sa.LargeBinary, nullable=False),
        sa.Column("output", sa.LargeBinary),
    )


def downgrade() -> None:
    """Drop both tables."""
    op.drop_table("chunks")
    op.drop_table("jobs")
