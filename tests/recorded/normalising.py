"""What differs from one run to the next, replaced by names: ids, times, rates, and tags of what holds them."""

import re
from datetime import UTC, datetime
from typing import Any, Final

__all__ = ["Normaliser"]

ID: Final = re.compile(r"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])")
BEGIN_OF_ID: Final = re.compile(r"(?<=-)[0-9a-f]{8}(?=\.)")
CLOCK: Final = r"T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)?"
RATE: Final = re.compile(r'(?<="rate":)( ?)[\d.e+-]+(?=, ?"eta": ?null, ?"(?:created|progress)":)')
# A worker may take a job before the answer that says it was queued is written.
TAKEN: Final = re.compile(r'"state":"(?:queued|running)"|"started":"<time>"')
OWN_VERSION: Final = re.compile(r"(?<=\|impl:assay-)[\w.]+")
NUMBER: Final = re.compile(r" [-+.\w]+$", re.MULTILINE)
COUNTED: Final = re.compile(r"^assay_request(?:s|_seconds)\w*\{.*\} ")
WAITED: Final = re.compile(r'^assay_request\w+\{.*route="/health/ready"')


class Normaliser:
    """Knows the ids of one run by the names of the requests that made them."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._begins: dict[str, str] = {}
        self._days: set[str] = set()
        self.note_day()

    def note_day(self) -> None:
        """Take today as a day on which things were made; a run may last over midnight."""
        self._days.add(datetime.now(UTC).date().isoformat())

    def learn(self, value: str, name: str) -> None:
        """Call an id by the name of the request that made it; what has a name keeps it."""
        if value not in self._names:
            self._names[value] = f"<{name}>"
            self._begins[value[:8]] = f"<begin of {name}>"

    def learn_tag(self, value: str) -> None:
        """Take a tag as one that no other run gives again."""
        if ID.fullmatch(value):
            self._names[value] = "<tag>"

    def text(self, text: str) -> str:
        """The text without what no other run would give again."""
        days = "|".join(sorted(self._days))
        text = ID.sub(lambda found: self._names.get(found[0], found[0]), text)
        text = re.sub(f"(?:{days}){CLOCK}", "<time>", text)
        text = re.sub(rf"(?<!\d)(?:{days})(?!\d)", "<day>", text)
        return OWN_VERSION.sub("<version>", RATE.sub(r'\1"<rate>"', text))

    def header(self, text: str) -> str:
        """A header's value likewise; names of files hold the begin of an id."""
        return BEGIN_OF_ID.sub(lambda found: self._begins.get(found[0], found[0]), self.text(text))

    def made(self, text: str) -> str:
        """The answer that a job was made, as if no worker had been quick."""
        return TAKEN.sub(lambda found: '"state":"queued"' if "state" in found[0] else '"started":null', text)


def without_counts(text: str) -> str:
    """Prometheus text of which counts and times of requests keep their names alone."""
    lines = [line for line in text.split("\n") if not WAITED.match(line)]
    return "\n".join(NUMBER.sub(" <count>", line) if COUNTED.match(line) else line for line in lines)


def ids_in(content: Any) -> list[str]:
    """Ids that an answer says it made: of a job, or of judgements."""
    if not isinstance(content, dict):
        return []
    own = [content["id"]] if isinstance(content.get("id"), str) else []
    judged = content.get("feedback")
    return own + ([each["id"] for each in judged if "id" in each] if isinstance(judged, list) else [])
