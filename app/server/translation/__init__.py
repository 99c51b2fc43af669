"""Translation services of the operator: their file, requests over HTTP, stored translations and budgets."""

from app.server.translation.services import HttpService, open_services
from app.server.translation.stored import TranslationStore
from app.server.translation.translators import LOG, OwnTranslators, TranslatorFactory

__all__ = ["LOG", "HttpService", "OwnTranslators", "TranslationStore", "TranslatorFactory", "open_services"]
