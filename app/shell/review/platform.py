"""Addresses of files on the platform whose job runs a review.

Sources: GitHub, "Variables reference"; GitLab, "Predefined CI/CD variables reference".
"""

import re
from typing import Final

from app.settings import variable_value

__all__ = ["line_address"]

SERVER: Final = re.compile(r"https?://[\w.-]{1,200}(?::\d{1,5})?(?:/[\w.~-]{1,200}){0,20}")
REPOSITORY: Final = re.compile(r"[\w.-]{1,100}/[\w.-]{1,100}")
COMMIT: Final = re.compile(r"[0-9a-f]{7,64}")
# Files that platforms show without their lines, unless the address asks for them.
PAGES: Final = (".md", ".markdown", ".mdx", ".qmd")


def line_address(path: str, line: int) -> str | None:
    """The address of a line at the commit of the job; None outside of GitHub Actions and of GitLab's pipelines."""
    from urllib.parse import quote

    folder = _folder()
    view = "?plain=1" if path.lower().endswith(PAGES) else ""
    return None if folder is None else f"{folder}/{quote(path)}{view}#L{line}"


def _folder() -> str | None:
    """The address of the files of the commit."""
    server, repository = variable_value("GITHUB_SERVER_URL") or "", variable_value("GITHUB_REPOSITORY") or ""
    project = variable_value("CI_PROJECT_URL") or ""
    if SERVER.fullmatch(server) and REPOSITORY.fullmatch(repository):
        base, commit = f"{server}/{repository}/blob", variable_value("GITHUB_SHA") or ""
    elif SERVER.fullmatch(project):
        base, commit = f"{project}/-/blob", variable_value("CI_COMMIT_SHA") or ""
    else:
        return None
    return f"{base}/{commit}" if COMMIT.fullmatch(commit) else None
