"""Terms of glossaries in texts: found in sources, and confirmed in translations, by lemma."""

from app.resources.terminology.lemmas import has_lemmas
from app.resources.terminology.matching import Terminology, TermUse, terminology_of

__all__ = ["TermUse", "Terminology", "has_lemmas", "terminology_of"]
