"""Commands for whoever runs a server: serving, keys, the audit, health, backups, what is kept."""
