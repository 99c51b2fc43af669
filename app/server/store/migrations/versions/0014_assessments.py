"""Assessment of a correction: score, checks and tags of its text."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Add the column; earlier corrections have no assessment."""
    op.add_column("corrections", sa.Column("assessment", sa.LargeBinary))


def downgrade() -> None:
    """Remove it."""
    op.drop_column("corrections", "assessment")
