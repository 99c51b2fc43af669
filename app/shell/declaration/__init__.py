"""Declarations of commands: their options, the roles of their files, help, and the list of commands."""
