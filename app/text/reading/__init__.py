"""Files as they come: lines, tables, n-best lists and lists of objects, decoded and within limits. Nothing else reads them."""
