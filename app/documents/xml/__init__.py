"""Documents in XML: parsed by lxml, and scanned for the positions of their tags."""
