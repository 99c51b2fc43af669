"""What every request passes before a route sees it: the door, limits, counters."""
