"""Corrections of the segments of a job's result."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "corrections",
        sa.Column("job_id", sa.String(32), sa.ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("segment", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("text", sa.Text),
        sa.Column("author", sa.String(100), nullable=False),
        sa.Column("author_owner", sa.String(100), nullable=False, index=True),
        sa.Column("created", sa.Float, nullable=False),
        sa.Column("changed", sa.Float, nullable=False),
        sa.Column("feedback", sa.String(32)),
        sa.Column("stored_bytes", sa.Integer, nullable=False),
    )


def downgrade() -> None:
    """Remove it."""
    op.drop_table("corrections")
