"""Files of a review, and layouts of their paths."""

from typing import Annotated

from pydantic import Field

from app.operations.operation import Body
from app.operations.parts.names import Language

__all__ = ["PathLayout", "Pattern", "ReviewFile"]

Path = Annotated[str, Field(min_length=1, max_length=1000, description="Path with slashes, as in the repository")]
Pattern = Annotated[str, Field(min_length=1, max_length=1000)]


class ReviewFile(Body):
    """A file by its path: its text, and its earlier text if strings are compared with it.

    A translation may state its language and its source, if its path does not.
    """

    path: Path
    text: str
    old_text: Annotated[str | None, Field(description="Earlier text; null for a new file")] = None
    removed: Annotated[bool, Field(description="True for a file that the change removed, with an empty `text`")] = False
    language: Annotated[Language | None, Field(description="Language of the translation; default: as the path says")] = None
    source: Annotated[Path | None, Field(description="Path of the file of its sources; default: as the path says")] = None


class PathLayout(Body):
    """Paths of translations, and of their sources: `{language}` is a tag, `{path}` the rest of both paths."""

    source: Pattern
    translation: Pattern
