"""Sessions of browsers, which somebody can end."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Add the table; sessions of before are over, since nothing can tell whether somebody ended them."""
    op.create_table(
        "sessions",
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("key_id", sa.String(16), sa.ForeignKey("api_keys.id", ondelete="CASCADE"), nullable=False, index=True),
        sa.Column("expires", sa.Float, nullable=False, index=True),
    )


def downgrade() -> None:
    """Remove it."""
    op.drop_table("sessions")
