"""Audit log: a table that only grows, its head, and the trace of a job."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"

EXPIRED = "(SELECT first FROM audit_head)"
# One statement a trigger: what it refuses, and when it does not.
SQLITE = (
    "CREATE TRIGGER audit_stays BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END",
    f"CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit WHEN OLD.number >= {EXPIRED} "
    "BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END",
    # INSERT OR REPLACE deletes without asking the trigger of deletions.
    "CREATE TRIGGER audit_is_not_replaced BEFORE INSERT ON audit WHEN EXISTS (SELECT 1 FROM audit WHERE number = NEW.number) "
    "BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END",
    "CREATE TRIGGER audit_head_goes_on BEFORE UPDATE ON audit_head WHEN NEW.number < OLD.number OR NEW.first < OLD.first "
    "BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END",
    "CREATE TRIGGER audit_head_is_kept BEFORE DELETE ON audit_head BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END",
)
POSTGRESQL = (
    "CREATE FUNCTION audit_refuses() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE EXCEPTION 'the audit is append-only'; END $$",
    f"CREATE FUNCTION audit_keeps() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF OLD.number >= {EXPIRED} THEN "
    "RAISE EXCEPTION 'the audit is append-only'; END IF; RETURN OLD; END $$",
    "CREATE TRIGGER audit_stays BEFORE UPDATE ON audit FOR EACH ROW EXECUTE FUNCTION audit_refuses()",
    "CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit FOR EACH ROW EXECUTE FUNCTION audit_keeps()",
    "CREATE TRIGGER audit_is_not_emptied BEFORE TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION audit_refuses()",
    "CREATE TRIGGER audit_head_goes_on BEFORE UPDATE ON audit_head FOR EACH ROW "
    "WHEN (NEW.number < OLD.number OR NEW.first < OLD.first) EXECUTE FUNCTION audit_refuses()",
    "CREATE TRIGGER audit_head_is_kept BEFORE DELETE ON audit_head FOR EACH ROW EXECUTE FUNCTION audit_refuses()",
    "CREATE TRIGGER audit_head_is_not_emptied BEFORE TRUNCATE ON audit_head FOR EACH STATEMENT EXECUTE FUNCTION audit_refuses()",
)


def upgrade() -> None:
    """Make the tables and their triggers, and add the column."""
    op.create_table(
        "audit",
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("time", sa.Float, nullable=False, index=True),
        sa.Column("actor", sa.String(100), nullable=False),
        sa.Column("owner", sa.String(100), nullable=False),
        sa.Column("request", sa.String(64), nullable=False),
        sa.Column("address", sa.String(64), nullable=False),
        sa.Column("action", sa.String(32), nullable=False),
        sa.Column("thing", sa.String(32), nullable=False),
        sa.Column("thing_id", sa.String(200), nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
    )
    head = op.create_table(
        "audit_head",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("first", sa.BigInteger, nullable=False),
        sa.Column("anchor", sa.String(64), nullable=False),
    )
    op.bulk_insert(head, [{"id": 1, "number": 0, "hash": "0" * 64, "first": 1, "anchor": "0" * 64}])
    for statement in SQLITE if op.get_bind().dialect.name == "sqlite" else POSTGRESQL:
        op.execute(statement)
    # Not by copying the table, as batches do: a column that may be empty needs no copy.
    op.add_column("jobs", sa.Column("traceparent", sa.String(64)))


def downgrade() -> None:
    """Remove them."""
    with op.batch_alter_table("jobs") as jobs:
        jobs.drop_column("traceparent")
    op.drop_table("audit_head")
    op.drop_table("audit")
    if op.get_bind().dialect.name != "sqlite":
        op.execute("DROP FUNCTION audit_refuses()")
        op.execute("DROP FUNCTION audit_keeps()")
