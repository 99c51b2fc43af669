"""Reviews of translated files in a folder or a git checkout: files in, findings out in the forms of CI services."""
