"""Gates of commands: conditions that fail a CI job, and reports of them."""
