"""Campaigns in Pearmut's page, as an annotator sees them: texts, marks in advance, attention checks, and the log of it all."""

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from app.documents.campaigns import Campaign, CampaignItem, ErrorSpan, JudgementLog, campaign_json, read_judgements
from tests.campaigns.pearmut import PearmutServer, pearmut_python

# Tags that Pearmut would act on, tags that it would not, entities, letters of two UTF-16 units, and letters from right to left.
HOSTILE = "A <b>bold</b> 😀 claim & <i>x</i> &lt; <a href='y'> 1 < 2 <br> <img src=x onerror=alert(1)> end"
MEDIA = "<img src=x onerror=alert(1)> is a tag"
SYSTEMS = ("old", "new")


def items() -> list[CampaignItem]:
    """A plain item with a mark behind a letter of two units, and an attention check with damage in the middle."""
    start = HOSTILE.index("claim")
    marks = {"new": [ErrorSpan(start, start + len("claim"))]}
    damaged = "A house of some foreign words is green today."
    place = ErrorSpan(damaged.index("some"), damaged.index(" is"))
    plain = CampaignItem(1, MEDIA, {"old": MEDIA, "new": HOSTILE}, marks, {"old": 0.25, "new": 0.5})
    texts = {"attention-damaged": damaged, "attention-original": "A house in the street is green today."}
    check = CampaignItem(2, "Ein Haus.", texts, damaged_name="attention-damaged", damage=place, better=("attention-original",))
    return [plain, check]


@pytest.fixture(scope="module")
def pearmut(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PearmutServer]:
    python = pearmut_python()
    if python is None:
        pytest.skip("Pearmut is not installed: make .venv/.pearmut")
    folder = tmp_path_factory.mktemp("pearmut")
    server = PearmutServer(python, folder)
    for name in ("attentive", "inattentive"):
        file = folder / f"{name}.json"
        file.write_text(json.dumps(campaign_json(Campaign(name, [items()]))), "utf-8")
        server.add(file)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def annotation(browser: Browser, pearmut: PearmutServer) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1400, "height": 1000}, base_url=pearmut.address)
    page = context.new_page()
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    yield page
    context.close()
    assert not dialogs, "no text of a campaign runs as a script"


def candidate(page: Page, name: str) -> str:
    return f".output_candidate[data-model='{name}']"


def set_score(page: Page, name: str, score: int) -> None:
    slider = page.locator(f"{candidate(page, name)} input[type=range]")
    slider.evaluate(
        "(slider, value) => { slider.value = value;"
        "for (const kind of ['input', 'change']) slider.dispatchEvent(new Event(kind, {bubbles: true})) }",
        score,
    )


def mark(page: Page, name: str, first: int, last: int, severity: str) -> None:
    """Mark characters by their UTF-16 units with two clicks, and choose the severity."""
    for place in (first, last):
        page.locator(f"{candidate(page, name)} .tgt_char[data-i='{place}']").dispatch_event("click")
    page.locator(f".span_toolbox_parent:visible .error_{severity}").last.dispatch_event("click")


def next_page(page: Page) -> None:
    with page.expect_response("**/log-response"):
        page.locator("#button_next").click()


def log_of(server: PearmutServer, name: str) -> JudgementLog:
    downloaded, written = (read_judgements(raw, name) for raw in (server.download(name), server.log(name).read_bytes()))
    assert downloaded == written
    return downloaded


def open_first(page: Page, server: PearmutServer, name: str) -> None:
    (user,) = server.users(name)
    page.goto(f"/annotate?campaign_id={name}&user_id={user}")
    page.locator(candidate(page, "new")).wait_for()


def test_an_attentive_annotator(annotation: Page, pearmut: PearmutServer) -> None:
    page = annotation
    open_first(page, pearmut, "attentive")
    # People see each tag, and joiners are invisible; Chromium reads halves of a letter as they are.
    texts = {name: page.locator(f"{candidate(page, name)} .tgt_char:not(.special_token)").all_text_contents() for name in SYSTEMS}
    assert "".join(texts["old"]).replace("\u2060", "") == MEDIA
    assert "".join(texts["new"]).replace("\u2060", "").encode("utf-16", "surrogatepass").decode("utf-16") == HOSTILE
    marked = page.locator(f"{candidate(page, 'new')} .tgt_char.error_unknown").all_text_contents()
    assert "".join(marked) == "claim"
    page.locator(".span_toolbox_parent .error_minor").first.dispatch_event("click")
    missing = page.locator(f"{candidate(page, 'old')} .special_token")
    missing.dispatch_event("click")
    page.locator(".span_toolbox_parent:visible .error_major").last.dispatch_event("click")
    set_score(page, "old", 12)
    set_score(page, "new", 70)
    next_page(page)
    page.locator(candidate(page, "attention-damaged")).wait_for()
    damaged = items()[1].translations["attention-damaged"]
    mark(page, "attention-damaged", damaged.index("foreign"), damaged.index(" is") + 1, "major")
    set_score(page, "attention-damaged", 20)
    set_score(page, "attention-original", 90)
    next_page(page)
    log = log_of(pearmut, "attentive")
    assert list(log.checks.values()) == [(1, 1)]
    by_system = {row.system: row for row in log.judgements}
    assert set(by_system) == set(SYSTEMS)
    old, new = (by_system[name] for name in SYSTEMS)
    assert (old.source, old.translation, old.score, old.missing, old.spans) == (MEDIA, MEDIA, 12, 1, ())
    start = HOSTILE.index("claim")
    assert (new.translation, new.score, new.prediction) == (HOSTILE, 70, 0.5)
    assert new.spans == (ErrorSpan(start, start + len("claim"), "minor"),)


def test_an_inattentive_annotator(annotation: Page, pearmut: PearmutServer) -> None:
    page = annotation
    open_first(page, pearmut, "inattentive")
    page.locator(".span_toolbox_parent .error_minor").first.dispatch_event("click")
    for name in SYSTEMS:
        set_score(page, name, 50)
    next_page(page)
    page.locator(candidate(page, "attention-damaged")).wait_for()
    for name in ("attention-damaged", "attention-original"):
        set_score(page, name, 50)
    next_page(page)
    log = log_of(pearmut, "inattentive")
    assert list(log.checks.values()) == [(0, 1)]
    assert len(log.judgements) == len(SYSTEMS)
