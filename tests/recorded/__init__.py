"""Requests over every route with the answers that version 0.1 gave, and the tools that play and compare them."""
