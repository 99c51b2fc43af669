"""Translation services of the operator: their file, requests over HTTP, stored translations and budgets."""

from app.server.translation.services import open_services
from app.server.translation.stored import TranslationStore
from app.server.translation.translators import OwnTranslators, TranslatorFactory

__all__ = ["OwnTranslators", "TranslationStore", "TranslatorFactory", "open_services"]
