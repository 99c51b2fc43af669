"""Feedback: what users' post-edits and scores said of translations."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "feedback",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("created", sa.Float, nullable=False, index=True),
        sa.Column("pair", sa.String(16), nullable=False, index=True),
        sa.Column("label", sa.String(16), nullable=False),
        sa.Column("value", sa.Float, nullable=False),
        sa.Column("held_back", sa.Integer, nullable=False),
        sa.Column("model", sa.String(200)),
        sa.Column("origin", sa.String(200), nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("feedback")
