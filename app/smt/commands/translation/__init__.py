"""Commands about translating by systems of phrases."""
