"""Rules of gettext: format strings and plural forms, as msgfmt checks them."""

from app.checks.gettext.format_strings import FORMATS, format_fault
from app.checks.gettext.plural_rules import PluralRule, plural_rule

__all__ = ["FORMATS", "PluralRule", "format_fault", "plural_rule"]
