"""Keys of callers, and owners of feedback and models."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add tables of keys and model owners, and `owner` of feedback. Existing feedback gets no owner."""
    op.create_table(
        "api_keys",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("name", sa.String(100), nullable=False, unique=True),
        sa.Column("owner", sa.String(100), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("pairs", sa.Text),
        sa.Column("models", sa.Text),
        sa.Column("created", sa.Float, nullable=False),
        sa.Column("expires", sa.Float),
        sa.Column("revoked", sa.Float),
        sa.Column("used", sa.Float),
    )
    op.create_table(
        "model_owners", sa.Column("model", sa.String(200), primary_key=True), sa.Column("owner", sa.String(100), nullable=False)
    )
    with op.batch_alter_table("feedback") as feedback:
        feedback.add_column(sa.Column("owner", sa.String(100), nullable=False, server_default=""))


def downgrade() -> None:
    """Remove them."""
    with op.batch_alter_table("feedback") as feedback:
        feedback.drop_column("owner")
    op.drop_table("model_owners")
    op.drop_table("api_keys")
