"""Campaign files of Pearmut 1.1: the protocol ESA, tasks of annotators, marks in advance and attention checks."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from app.documents.campaigns.shown_text import ShownText, guarded_form
from app.errors import InputError

__all__ = ["ATTENTION", "ITEM_MEMBER", "Campaign", "CampaignItem", "ErrorSpan", "campaign_json", "check_campaign_names"]

# Prefix of the names of translations in attention checks: Pearmut's ranking of systems counts them apart.
ATTENTION: Final = "attention-"
# Member of an item with the data that `assay campaign read` needs; Pearmut copies it into its log.
ITEM_MEMBER: Final = "assay"
# Pearmut puts names into attributes of its page and the id into the name of a file.
FAIR_NAME: Final = re.compile(r"(?!__)[\w.+@:()-][\w.+@:() -]{0,99}+")
FAIR_ID: Final = re.compile(r"[\w#+-][\w.#+-]{0,99}+")
# Pearmut's own words on a score of 66: small issues. A damaged translation has more than these.
SMALL_ISSUES: Final = 66
MARKS_NOTICE: Final = (
    "A program has marked words that may be wrong, and it errs often. Give each mark a severity or remove it, and add the errors "
    "that it missed."
)


@dataclass(frozen=True)
class ErrorSpan:
    """Characters of a translation from `start` to before `end`; `severity` is minor, major, or None for an open one."""

    start: int
    end: int
    severity: str | None = None


@dataclass(frozen=True)
class CampaignItem:
    """A source with its translations by name, in the order of the page.

    `segment` is its line from 1 on. `spans` are marks in advance, `predictions` predicted scores. In an attention check, `damage`
    is the place of unrelated words in the translation `damaged_name`, and `better` names translations that deserve a higher score.
    """

    segment: int
    source: str
    translations: Mapping[str, str]
    spans: Mapping[str, Sequence[ErrorSpan]] = field(default_factory=dict)
    predictions: Mapping[str, float] = field(default_factory=dict)
    damaged_name: str | None = None
    damage: ErrorSpan | None = None
    better: tuple[str, ...] = ()


@dataclass(frozen=True)
class Campaign:
    """A campaign: its id, and the items of each annotator in their order."""

    id: str
    tasks: Sequence[Sequence[CampaignItem]]


def check_campaign_names(campaign_id: str, systems: Collection[str]) -> None:
    """Raise InputError for an id or a name of a system that Pearmut's page or server cannot have."""
    if not FAIR_ID.fullmatch(campaign_id):
        detail = "a campaign's id has letters, digits and . _ # + -, 100 at most, and no . at its begin"
        raise InputError("invalid-request", detail, ("--id",))
    for name in systems:
        if not FAIR_NAME.fullmatch(name) or name.isdigit() or name.startswith(ATTENTION):
            detail = (
                f"this name of a system has signs that Pearmut's page cannot have, is a number or begins with {ATTENTION}; "
                "name it in letters, as NAME=FILE"
            )
            raise InputError("invalid-request", detail, (name[:40],))


def campaign_json(campaign: Campaign) -> dict[str, Any]:
    """The file of a campaign. Its order is final: Pearmut shuffles nothing, and names of annotators are left to Pearmut."""
    return {
        "info": {"assignment": "task-based", "protocol": "ESA", "shuffle": False},
        "campaign_id": campaign.id,
        "data": [[[_item(item)] for item in task] for task in campaign.tasks],
    }


def _item(item: CampaignItem) -> dict[str, Any]:
    texts = {name: ShownText.of(text) for name, text in item.translations.items()}
    members: dict[str, Any] = {
        "item_id": f"{ATTENTION if item.damaged_name else ''}{item.segment}",
        "src": guarded_form(item.source),
        "tgt": {name: text.form for name, text in texts.items()},
        ITEM_MEMBER: {"segment": item.segment, "predictions": dict(item.predictions)},
    }
    spans = {name: [_span(texts[name], span) for span in spans] for name, spans in item.spans.items() if spans}
    if spans:
        members |= {"instructions": MARKS_NOTICE, "error_spans": spans}
    if item.damaged_name is not None and item.damage is not None:
        members["validation"] = _validation(item.damaged_name, item.damage, texts[item.damaged_name], item.better)
    return members


def _span(text: ShownText, span: ErrorSpan) -> dict[str, Any]:
    first, last = text.to_units(span.start, span.end)
    return {"start_i": first, "end_i": last, "severity": span.severity, "category": None}


def _validation(damaged_name: str, damage: ErrorSpan, text: ShownText, better: Sequence[str]) -> dict[str, Any]:
    """Answers of an attentive annotator; a marked span must overlap the damage. Without a warning, Pearmut checks silently."""
    first, last = text.to_units(damage.start, damage.end)
    span = {"start_i": [0, last], "end_i": [first, text.length - 1]}
    return {
        damaged_name: {"score": [0, SMALL_ISSUES], "error_spans": [span]},
        **{name: {"score_greaterthan": damaged_name} for name in better},
    }
