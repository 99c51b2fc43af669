"""The checks of structure, in the order of their warnings."""

from collections.abc import Mapping
from typing import Final

from app.checks.structure.accelerators import Accelerators
from app.checks.structure.branches import Branches
from app.checks.structure.check import Check, SignCheck, TextCheck
from app.checks.structure.code_spans import CodeSpans
from app.checks.structure.escapes import Escapes
from app.checks.structure.links import Links
from app.checks.structure.mojibake import Mojibake
from app.checks.structure.placeholders import Placeholders
from app.checks.structure.punctuation import Punctuation
from app.checks.structure.spaces import Spaces
from app.checks.structure.tags import Tags

__all__ = ["OF_SIGNS", "OF_TEXTS", "STRUCTURE"]

# Checks of texts with signs of programs, and those of all texts.
OF_SIGNS: Final[tuple[SignCheck, ...]] = (Placeholders(), Branches(), Tags(), Links(), CodeSpans(), Escapes(), Accelerators())
OF_TEXTS: Final[tuple[TextCheck, ...]] = (Mojibake(), Spaces(), Punctuation())
CHECKS: Final[tuple[Check, ...]] = (*OF_SIGNS, *OF_TEXTS)
STRUCTURE: Final[Mapping[str, str]] = {check.code: check.meaning for check in CHECKS}
