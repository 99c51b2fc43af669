"""The service: database, jobs, upkeep, access control, HTTP and pages."""
