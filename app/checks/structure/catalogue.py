"""The checks of structure, in the order of their warnings."""

from collections.abc import Mapping
from typing import Final

from app.checks.structure.branches import Branches
from app.checks.structure.check import Check
from app.checks.structure.code_spans import CodeSpans
from app.checks.structure.links import Links
from app.checks.structure.mojibake import Mojibake
from app.checks.structure.placeholders import Placeholders
from app.checks.structure.tags import Tags

__all__ = ["CHECKS", "MOJIBAKE", "STRUCTURE"]

# The one check of texts without marks.
MOJIBAKE: Final = Mojibake()
CHECKS: Final[tuple[Check, ...]] = (Placeholders(), Branches(), Tags(), Links(), CodeSpans(), MOJIBAKE)
STRUCTURE: Final[Mapping[str, str]] = {check.code: check.meaning for check in CHECKS}
