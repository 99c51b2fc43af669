"""Tasks of a server's operator: disk room, backups, health, retention, and deletion of a person's data."""
