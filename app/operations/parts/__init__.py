"""Parts of requests, answers and jobs of several operations."""
