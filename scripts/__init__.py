"""How what ships was made."""
