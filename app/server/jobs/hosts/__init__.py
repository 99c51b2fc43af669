"""Workers on several machines: models in a store that all reach, and signs of life in the database."""
