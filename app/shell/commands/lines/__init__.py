"""Commands about lines of files, whatever is in them."""
