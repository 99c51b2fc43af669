"""Translations of services, and the characters that were sent to them each day."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Create both tables."""
    op.create_table(
        "translations",
        sa.Column("owner", sa.String(100), primary_key=True),
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("created", sa.Float, nullable=False),
    )
    op.create_index("ix_translations_created", "translations", ["created"])
    op.create_table(
        "service_days",
        sa.Column("service", sa.String(100), primary_key=True),
        sa.Column("day", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("characters", sa.BigInteger, nullable=False),
    )


def downgrade() -> None:
    """Remove both."""
    op.drop_table("service_days")
    op.drop_table("translations")
