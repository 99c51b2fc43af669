"""Explanations of errors of translation services, in the form of `app.server.explanations`."""

from typing import Final

__all__ = ["TEXTS"]

TEXTS: Final = """
unknown-service
A request names a translation service that the operator has not configured.
"translate": "nobody"
Take a name from `translation_services` of GET /v1/resources, or ask the operator for one.

service-failed
A translation service did not answer, or answered with an error, in all attempts.
the service libre answered 429; translations that arrived are stored, so ask again
Ask again later: Assay stores translations, so only the rest is fetched. The operator finds the status in the log.

service-unreadable
A translation service answered with something else than translations.
the answer of the service libre cannot be used: translatedText is no list of texts
The operator compares the service's protocol with the file of services (docs/run/translation.md).

service-budget-spent
The characters that the operator lets this service translate in a day do not suffice for the segment.
"characters_per_day": 200000, of which 199990 are spent
Send the rest after midnight (UTC), choose another service, or ask the operator for a larger budget.
"""
