"""Workers on several machines: the pair of a job and the version that planned it, and signs of life of workers."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Add both columns and the table; jobs of before have no pair and any version."""
    op.add_column("jobs", sa.Column("pair", sa.String(64)))
    op.add_column("jobs", sa.Column("version", sa.Integer, nullable=False, server_default="0"))
    op.create_table(
        "workers",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("host", sa.String(255), nullable=False),
        sa.Column("version", sa.String(32), nullable=False),
        sa.Column("pairs", sa.Text, nullable=False),
        sa.Column("last_sign", sa.Float, nullable=False),
    )
    op.create_index("ix_workers_last_sign", "workers", ["last_sign"])


def downgrade() -> None:
    """Remove them."""
    op.drop_table("workers")
    op.drop_column("jobs", "version")
    op.drop_column("jobs", "pair")
