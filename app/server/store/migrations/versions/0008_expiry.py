"""Times of deletion of a job's input and output, while the job itself stays on record."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add the columns; of what is there nothing has expired."""
    op.add_column("jobs", sa.Column("input_expired", sa.Float))
    op.add_column("jobs", sa.Column("expired", sa.Float))


def downgrade() -> None:
    """Remove them."""
    with op.batch_alter_table("jobs") as jobs:
        jobs.drop_column("expired")
        jobs.drop_column("input_expired")
