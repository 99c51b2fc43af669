"""Systems of phrases out of parallel text: steps that are kept, and the configuration of what they made."""
