"""Systems for a server: packed into one folder without outside references, mapped, and shared by all requests."""
