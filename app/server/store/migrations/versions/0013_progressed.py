"""Time of a job's last progress, so that its end can be predicted between two parts."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Add the column; jobs that are at work have none until their next part."""
    op.add_column("jobs", sa.Column("progressed", sa.Float))


def downgrade() -> None:
    """Remove it."""
    op.drop_column("jobs", "progressed")
