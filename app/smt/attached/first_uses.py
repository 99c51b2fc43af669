"""Commands that use the wing's kernels once after installing."""

from app.smt.warming.first_uses import FIRST_USES as ATTACHED

__all__ = ["ATTACHED"]
