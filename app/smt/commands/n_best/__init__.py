"""Commands about n-best lists."""
