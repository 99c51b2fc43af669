"""Middleware before the routes: authentication, limits, counters."""
