"""METEOR: words and phrases matched in stages, in as few pieces as possible, and scored with weights per stage."""
