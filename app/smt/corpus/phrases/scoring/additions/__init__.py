"""Additional scores of phrase tables beside the four, and their inputs."""
