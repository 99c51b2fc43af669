"""Files that commands read and write."""

from typing import Final

from app.smt.recipes.step_files import STEP_FILES

__all__ = ["ATTACHED"]

ATTACHED: Final = (STEP_FILES,)
