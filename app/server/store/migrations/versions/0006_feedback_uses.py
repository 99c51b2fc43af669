"""Uses of judgements in trainings."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the table; of what was trained before, nobody knows what it learnt from."""
    op.create_table(
        "feedback_uses",
        sa.Column("feedback", sa.String(32), primary_key=True),
        sa.Column("model", sa.String(200), primary_key=True, index=True),
    )


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("feedback_uses")
