"""What readers say of a file: attachments, pictures, properties, recognised pages.

Revision ID: 0002
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("document", sa.Column("container_id", sa.BigInteger(), nullable=True))
    op.create_index("ix_document_container_id", "document", ["container_id"])
    op.add_column("revision", sa.Column("title", sa.Text(), nullable=True))
    op.add_column(
        "revision",
        sa.Column("page_unit", sa.String(length=8), nullable=False, server_default="page"),
    )
    op.add_column("revision", sa.Column("page_labels", sa.Text(), nullable=True))
    op.add_column(
        "revision", sa.Column("page_reads", sa.Text(), nullable=False, server_default="[]")
    )
    op.add_column(
        "revision", sa.Column("properties", sa.Text(), nullable=False, server_default="{}")
    )
    op.add_column("revision", sa.Column("attachments", sa.Text(), nullable=True))
    op.add_column("asset", sa.Column("picture", sa.Text(), nullable=True))
    op.add_column("asset", sa.Column("origins", sa.Text(), nullable=False, server_default="[]"))
