"""Rules of gettext: format strings and plural forms, as msgfmt checks them."""

from app.checks.gettext.format_strings import FORMATS, format_fault
from app.checks.gettext.java_messages import JavaMessage, java_message
from app.checks.gettext.plural_rules import PluralRule, plural_rule

__all__ = ["FORMATS", "JavaMessage", "PluralRule", "format_fault", "java_message", "plural_rule"]
