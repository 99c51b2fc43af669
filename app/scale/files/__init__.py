"""Files of tables, local and remote: parts of them are read, and new files appear whole or not at all."""
