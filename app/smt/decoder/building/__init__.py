"""Training of phrase-based systems on parallel text: cached steps, and the configuration of their results."""
