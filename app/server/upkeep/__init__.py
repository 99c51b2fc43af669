"""What whoever runs a server needs: room on its disks, backups, a look at its health, retention, and forgetting a person."""
