"""`assay campaign make`: a campaign of Pearmut."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from app.shell.declaration.fields import argument, option
from app.shell.declaration.parameters import Label, Model, Pair, Profile, Quiet, Server

__all__ = ["CampaignMakeOptions"]


@dataclass(frozen=True, kw_only=True)
class CampaignMakeOptions:
    """Options of `assay campaign make`."""

    source: Annotated[str, argument(help="Sources, one per line.")]
    systems: Annotated[list[str], argument(help="Translations, one file per system: FILE or NAME=FILE.")]
    output: Annotated[Path, option("--output", "-o", help="Output: the campaign, for pearmut add.")]
    segments: Annotated[int, option(min=1, max=10_000, help="Number of segments to judge.")] = 100
    annotators: Annotated[int, option(min=1, max=1000, help="Number of annotators, who share the segments.")] = 1
    judgements: Annotated[int, option(min=1, max=100, help="Annotators for each segment.")] = 1
    checks: Annotated[
        int | None, option(min=0, max=1000, help="Attention checks per annotator; default: one for ten segments.")
    ] = None
    pool: Annotated[int, option(min=1, max=20_000, help="Segments to choose from, evenly drawn from longer files.")] = 2000
    by: Annotated[
        Literal["random", "disagreement"], option(help="Choice of segments: at random, or where systems and predictions disagree.")
    ] = "random"
    seed: Annotated[int, option(min=0, max=2**31 - 1, help="Number that decides everything random.")] = 1
    id: Annotated[str | None, option(help="Name of the campaign; default: of the output file.")] = None
    marks: Annotated[bool, option("--marks/--no-marks", help="Mark words that look wrong in advance; on by default.")] = True
    pair: Pair = None
    model: Model = None
    label: Label = None
    profile: Profile = None
    quiet: Quiet = False
    server: Server = None

    def run(self) -> None:
        """Write the campaign, and print the choice on stderr."""
        from app.building.writing import check_apart
        from app.documents.campaigns import Campaign, campaign_json, check_campaign_names
        from app.shell.campaigns import making
        from app.shell.campaigns.pool import marks_of, predict, read_pool
        from app.shell.declaration.files import check_file
        from app.shell.languages import languages_of
        from app.shell.output import json_text, quietly, say
        from app.text.reading.tables import Table

        check_apart([Path(text.partition("=")[2] or text) for text in (self.source, *self.systems)], [self.output])
        check_file(self.output, "--output")
        campaign_id = self.id or self.output.stem
        pool = read_pool(self.source, self.systems, self.pool, self.seed)
        check_campaign_names(campaign_id, pool.systems)
        budget = making.Budget(min(self.segments, len(pool.segments)), self.annotators, self.judgements, self.checks)
        budget.check()
        with quietly(self.quiet):
            languages = languages_of(Table(pool.columns), self.pair, self.server)
            choice = {"model": self.model, "label": self.label, "profile": self.profile}
            prediction = predict(pool, languages, choice, self.server)
            rows = making.choose(pool, prediction, budget.segments, self.seed, self.by)
            marks = marks_of([pool.segments[row] for row in rows], languages, self.profile, self.server) if self.marks else None
            items = making.items_of(pool, prediction, rows, marks, self.seed)
            count = making.checks_of_task(budget.largest_task, budget)
            checks = making.attention_items(pool, prediction, rows, count, self.seed)
            tasks = making.shared_tasks(items, checks, budget, self.seed)
            self.output.write_text(json_text(campaign_json(Campaign(campaign_id, tasks))) + "\n", "utf-8")
            for sentence in making.sentences_of(pool, prediction, budget, tasks):
                say(sentence)
            if self.marks and marks is None:
                say("no words are marked in advance: no word tagger answers for these languages")
