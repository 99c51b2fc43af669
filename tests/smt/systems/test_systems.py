"""Phrase-based systems of an engine: found, verified, left out by themselves, and what they give to features."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from app.engine import Engine
from app.engine.segments import Segments
from app.errors import InputError
from app.features import feature_set
from app.operations.resources import list_resources
from app.resources.loading import open_resources
from app.settings import Settings
from app.smt.systems import LIST_LENGTH, Systems
from app.text import LanguagePair
from app.text.side_information import GivenPart, SideInformation
from app.text.side_information.kinds import BACK_TRANSLATIONS, N_BEST, PSEUDO_REFERENCES
from tests.smt.decoder.toy_systems import add_toy_systems

RO_EN = LanguagePair("ro", "en")
SOURCES = ["casa mea este mare .", "un om doarme aici .", ""]
OTHERS = ["my house is sea .", "a man here sleeps", "there"]


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data") / "resources"
    add_toy_systems(folder, tmp_path_factory.mktemp("scratch"))
    return folder


@pytest.fixture
def harmed(own: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(own, tmp_path / "resources"))


@pytest.fixture(scope="module")
def systems(own: Path) -> Systems:
    return Systems(open_resources(own / "nothing", user_folder=own).systems)


def with_own(own: Path) -> Engine:
    settings = Settings()
    return Engine.open(settings.resources_dir, settings.models_dir, own_resources=own)


def test_a_system_lies_beside_what_ships_for_its_pair(own: Path) -> None:
    engine = with_own(own)
    assert engine.systems.pairs == (LanguagePair("en", "ro"), RO_EN)
    assert RO_EN in engine.resources.pairs and len(engine.resources.sets(RO_EN)) == 1
    answer = list_resources(engine, Settings())
    assert answer["systems"] == ["en-ro", "ro-en"] and "broken" not in answer
    (row,) = (row for row in answer["resources"] if row["name"] == "ro-en/system")
    assert (row["folder"], row["kind"], row["licence"]) == ("own", "system", "CC0-1.0")
    assert row["bytes"] == sum((own / "ro-en" / "system" / name).stat().st_size for name in row["files"])


@pytest.mark.parametrize("name", ["phrases-0.compact", "orientations-0.compact", "lm-0.binary", "moses.ini", "system.json"])
def test_a_system_that_is_damaged_is_left_out_and_stops_nothing(harmed: Path, name: str) -> None:
    path = harmed / "ro-en" / "system" / name
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    path.write_bytes(raw)
    resources = open_resources(harmed / "nothing", user_folder=harmed)
    systems = Systems(resources.systems)
    with pytest.raises(InputError, match=f"own/ro-en/system/{name} is damaged"):
        systems.of(RO_EN)
    systems.load()
    assert systems.pairs == (RO_EN.reversed,) and set(systems.broken) == {"own/ro-en/system"}
    with pytest.raises(InputError, match="damaged") as refused:
        systems.of(RO_EN)
    assert refused.value.code == "missing-system"
    assert set(resources.sound().broken) == {"own/ro-en/system"}


def test_a_system_that_translates_otherwise_is_not_what_its_folder_is_called(harmed: Path) -> None:
    shutil.move(harmed / "en-ro", harmed / "en-de")
    systems = Systems(open_resources(harmed / "nothing", user_folder=harmed).systems)
    with pytest.raises(InputError, match="contains a system for en-ro"):
        systems.of(LanguagePair("en", "de"))
    systems.load()
    assert systems.pairs == (RO_EN,)


def test_a_folder_that_is_no_system_is_named(harmed: Path) -> None:
    (harmed / "ro-en" / "system" / "manifest.json").unlink()
    resources = open_resources(harmed / "nothing", user_folder=harmed)
    assert set(resources.broken) == {"own/ro-en/system"} and set(resources.systems) == {RO_EN.reversed}


def test_a_path_that_leads_out_is_refused_even_with_its_checksum(harmed: Path) -> None:
    from tests.smt.decoder.serving.test_serving import listed_anew

    folder = harmed / "ro-en" / "system"
    (folder / "moses.ini").write_text((folder / "moses.ini").read_text().replace("path=lm-0", "path=../system/lm-0"))
    listed_anew(folder)
    systems = Systems(open_resources(harmed / "nothing", user_folder=harmed).systems)
    systems.load()
    assert "outside the system's folder" in systems.broken["own/ro-en/system"]


def test_wider_languages_answer_and_others_are_named(systems: Systems) -> None:
    assert systems.of(LanguagePair("ro-MD", "en-US")).pair == RO_EN
    with pytest.raises(InputError, match="nothing translates de-en; loaded systems translate en-ro, ro-en") as refused:
        systems.of(LanguagePair("de", "en"))
    assert refused.value.code == "missing-system"
    with pytest.raises(InputError, match="no system is loaded"):
        Systems({}).of(RO_EN)


def test_what_systems_give_is_what_they_translate(systems: Systems) -> None:
    segments = systems.with_evidence(Segments(RO_EN, SOURCES, OTHERS), ["pseudo_references", "back_translation"])
    forward = [one.best.text for one in systems.of(RO_EN).translate(SOURCES)]
    back = [one.best.text for one in systems.of(RO_EN.reversed).translate(OTHERS)]
    assert segments.side_information.get(PSEUDO_REFERENCES) == tuple((text,) for text in forward)
    assert segments.side_information.get(BACK_TRANSLATIONS) == tuple(back)
    assert segments.evidence == {PSEUDO_REFERENCES, BACK_TRANSLATIONS, GivenPart("pseudo_references", "1")}


def test_lists_are_of_the_systems_own_translations_alone(systems: Systems) -> None:
    own = [one.best.text for one in systems.of(RO_EN).translate(SOURCES)]
    lists = systems.with_evidence(Segments(RO_EN, SOURCES, own), ["n_best"]).side_information.get(N_BEST)
    assert lists is not None
    made = list(systems.of(RO_EN).translate(SOURCES, LIST_LENGTH, distinct=True))
    assert [[lists.texts[h] for h in row] for row in lists] == [[entry.text for entry in one.n_best] for one in made]
    with pytest.raises(InputError, match="not the system's own") as refused:
        systems.with_evidence(Segments(RO_EN, SOURCES, [own[0], OTHERS[1], own[2]]), ["n_best"])
    assert refused.value.where == ("segments", 1, "translation")


def test_what_came_beside_is_not_translated_over(systems: Systems) -> None:
    given = Segments(RO_EN, SOURCES, OTHERS, SideInformation(pseudo_references=[["x"]] * 3))
    assert systems.with_evidence(given, ["back_translation"]).side_information.kinds == {PSEUDO_REFERENCES, BACK_TRANSLATIONS}
    for asked in (lambda: systems.with_evidence(given, ["pseudo_references"]),
                  lambda: systems.planned(RO_EN, ["pseudo_references"], given.evidence)):  # fmt: skip
        with pytest.raises(InputError, match="remove one of the two") as refused:
            asked()
        assert refused.value.where == ("from_systems",)


def test_a_job_is_worked_on_by_the_systems_that_it_was_planned_with(harmed: Path, systems: Systems) -> None:
    segments = Segments(RO_EN, SOURCES, OTHERS)
    given, params = systems.planned(RO_EN, ["back_translation"], frozenset())
    params = {"from_systems": ["back_translation"], **params}
    assert given == {BACK_TRANSLATIONS} and all(name.startswith("own/en-ro/system/") for name in params["systems"])
    assert systems.with_pinned_systems(segments, params).evidence == given
    shutil.rmtree(harmed / "en-ro")
    shutil.copytree(harmed / "ro-en", harmed / "en-ro")
    for others in (Systems(open_resources(harmed / "nothing", user_folder=harmed).systems), Systems({})):
        with pytest.raises(InputError) as refused:
            others.with_pinned_systems(segments, params)
        assert refused.value.code == "missing-system"


def test_a_systems_own_translation_agrees_with_it_wholly(own: Path) -> None:
    engine = with_own(own)
    translations = [one.best.text for one in engine.systems.of(RO_EN).translate(SOURCES[:2])]
    segments = engine.systems.with_evidence(Segments(RO_EN, SOURCES[:2], translations), ["pseudo_references"])
    wanted = feature_set("all-blackbox")
    names = [feature.id for feature in wanted.features if PSEUDO_REFERENCES in feature.needs]
    assert names
    values = engine.features(segments, replace(wanted, features=tuple(f for f in wanted.features if f.id in names)))
    by_name = {feature.id: values.values[:, k].tolist() for k, feature in enumerate(values.features)}
    perfect = {"precision": 1.0, "ter": 0.0}
    assert by_name == {name: [perfect.get(name.rpartition("_")[2].rpartition(".")[2], 100.0)] * 2 for name in by_name}
    given = engine.features(
        Segments(RO_EN, SOURCES[:2], translations, SideInformation(pseudo_references=[[text] for text in translations])), wanted
    )
    assert [given.values[:, [f.id for f in given.features].index(name)].tolist() for name in by_name] == list(by_name.values())
