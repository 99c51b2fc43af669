"""The database and the folders of state: jobs with their chunks and files, feedback, artifacts."""
