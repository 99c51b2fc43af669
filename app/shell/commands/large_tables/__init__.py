"""Commands on tables of any size: results go to files, and a killed run goes on where it was."""
