"""Features of the two texts alone, with loaded resources: QuEst's black-box sets and those of later papers."""
