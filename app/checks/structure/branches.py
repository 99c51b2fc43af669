"""Messages of ICU beside their translation."""

from collections.abc import Iterable

from app.checks.structure.check import Finding, Texts
from app.checks.structure.marks import Mark
from app.checks.structure.messages import NUMERIC, Argument, MessageError, is_message, parse_message
from app.checks.structure.plural_categories import CATEGORIES, categories_for
from app.text.languages import LanguagePair, base_language

__all__ = ["Branches"]


class Branches:
    """Arguments, types and branches of a message that one side lacks."""

    code = "icu-message"
    meaning = "an ICU message has a broken brace, or arguments or branches that differ from the source"
    signs = frozenset("{")

    def marks(self, text: str, pair: LanguagePair) -> list[Mark]:
        """Arguments of a message with typed ones, without the texts of the branches. O(length)."""
        if not is_message(text):
            return []
        try:
            arguments = parse_message(text).everywhere()
        except MessageError:
            return []
        return [Mark("{}", start, end) for argument in arguments for start, end in argument.syntax()]

    def find(self, texts: Texts, source_marks: list[Mark], marks: list[Mark]) -> Finding | None:
        """Arguments and selectors without a counterpart, or the fault of a translation that is no message. O(length)."""
        if not texts.are_messages:
            return None
        try:
            source_message = parse_message(texts.source)
        except MessageError:
            return None
        try:
            message = parse_message(texts.translation)
        except MessageError as error:
            return Finding([], [_fault(texts.translation, error.place)])
        source, translation = list(source_message.everywhere()), list(message.everywhere())
        missing, extra = _unmatched_arguments(source, translation), _unmatched_arguments(translation, source)
        if not missing and not extra:
            # Arguments that one branch of the translation lacks, though every branch of the source has them.
            names = source_message.names() - message.names()
            missing = list({argument.name: _mark(argument) for argument in source if argument.name in names}.values())
        if missing or extra:
            return Finding(missing, extra)
        return _unmatched_branches(source, translation, base_language(texts.pair.target))


def _fault(text: str, place: int) -> Mark:
    """The words around a fault."""
    start = max(min(place, len(text)) - 20, 0)
    return Mark("fault", start, min(place + 20, len(text)))


def _unmatched_arguments(arguments: Iterable[Argument], counterparts: Iterable[Argument]) -> list[Mark]:
    """Arguments whose name the other side lacks, and a `#` that it lacks; each name once."""
    names = {argument.name for argument in counterparts}
    marks = {argument.name: _mark(argument) for argument in arguments if argument.name not in names}
    return list(marks.values())


def _unmatched_branches(source: list[Argument], translation: list[Argument], language: str) -> Finding | None:
    by_name = {argument.name: argument for argument in translation if argument.type or argument.branches}
    by_type = {(argument.name, argument.type): argument for argument in translation}
    plain = {argument.name for argument in translation if not argument.type}
    missing_marks, extra_marks, misleads = [], [], False
    for argument in source:
        if not argument.type:
            continue
        counterpart = by_type.get((argument.name, argument.type))
        if counterpart is None:
            namesake = by_name.get(argument.name)
            if not argument.branches and namesake is not None and namesake.branches:
                # The # of a plural shows its number too.
                continue
            misleads |= namesake is not None
            # Languages without a plural need no branches.
            if namesake is not None or argument.type not in NUMERIC or len(categories_for(language).integers) > 1:
                missing_marks.append(_mark(argument))
                extra_marks += [] if namesake is None else [_mark(namesake)]
        elif argument.type == "select":
            missing = [name for name in argument.branches if name not in counterpart.branches]
            extra = [name for name in counterpart.branches if name not in argument.branches]
            misleads |= bool(missing and extra)
            missing_marks += [_mark(argument, name) for name in missing]
            extra_marks += [_mark(counterpart, name) for name in extra]
        elif argument.branches:
            if argument.offset != counterpart.offset:
                missing_marks.append(_mark(argument, f"offset:{argument.offset}"))
                extra_marks.append(_mark(counterpart, f"offset:{counterpart.offset}"))
                misleads = True
            counts = any(branch.counts for branch in argument.branches.values())
            if counts and argument.name not in plain and not any(branch.counts for branch in counterpart.branches.values()):
                missing_marks.append(_mark(argument, "#"))
                misleads = True
            unknown = [name for name in counterpart.branches if name not in CATEGORIES and name[0] != "="]
            misleads |= bool(unknown)
            extra_marks += [_mark(counterpart, name) for name in unknown]
            names = {*counterpart.branches, *(["one"] if "=1" in counterpart.branches and "one" not in argument.branches else [])}
            missing_marks += [_mark(argument, name) for name in _needed(argument, language) if name not in names]
    return Finding(missing_marks, extra_marks, "error" if misleads else "warning") if missing_marks or extra_marks else None


def _needed(argument: Argument, language: str) -> tuple[str, ...]:
    categories = categories_for(language)
    return categories.integers if argument.type == "plural" else categories.ordinals


def _mark(argument: Argument, selector: str = "") -> Mark:
    """The mark of an argument, labelled with its type and one selector: `{count, plural, few}`."""
    label = ", ".join(part for part in (argument.name, argument.type, selector) if part)
    return Mark(argument.name, argument.start, argument.end, f"{{{label}}}")
