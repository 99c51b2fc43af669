"""Names of languages, labels, models and systems in requests."""

from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag, WithJsonSchema

from app.errors import InputError
from app.planning.numerals import is_plain
from app.text import LanguagePair
from app.text.language_tags import LONGEST_TAG, TAG_FORM, read_tag
from app.text.reading.column_names import named_language

__all__ = [
    "AnsweringPair",
    "LabelName",
    "Language",
    "ModelId",
    "ModelIds",
    "PairName",
    "PlainName",
    "ProfileName",
    "SystemName",
    "plain",
    "with_tags",
]


def plain(value: str) -> str:
    """A name as it came; ValueError unless it is one visible line."""
    if not is_plain(value):
        raise ValueError("a name is visible text on one line, without control characters or marks that turn its direction")
    return value


def _language(text: str) -> str:
    """Canonical tag of a language by its tag or name; InputError shows what is accepted."""
    tag = read_tag(text)
    code = named_language(text) if tag is None else str(tag)
    if code is None:
        raise InputError("unknown-language-pair", f"{TAG_FORM}, or as its English or native name")
    return code


def with_tags(params: dict[str, Any]) -> dict[str, Any]:
    """Parameters of a job with tags in place of names of languages: keys are checked before a job's request is."""
    texts = {field: params.get(field) for field in ("source_language", "target_language")}
    tags = {field: named_language(text) for field, text in texts.items() if isinstance(text, str) and read_tag(text) is None}
    return {**params, **{field: tag for field, tag in tags.items() if tag is not None}}


# The schema has no names: programs write tags.
Language = Annotated[
    str,
    AfterValidator(_language),
    WithJsonSchema(
        {
            "type": "string",
            "minLength": 2,
            "maxLength": LONGEST_TAG,
            "pattern": "^[A-Za-z]{2,3}([-_.@][A-Za-z0-9]{1,8})*$",
            "description": "BCP 47 tag, such as en, pt-BR or zh-Hant; the language decides unless something narrower is loaded",
            "examples": ["en"],
        }
    ),
]
PairName = Annotated[
    str,
    AfterValidator(lambda text: str(LanguagePair.parse(text))),
    WithJsonSchema(
        {
            "type": "string",
            "maxLength": 2 * LONGEST_TAG + 1,
            "description": "Language pair, as ro-en, or en-US:zh-CN",
            "examples": ["ro-en"],
        }
    ),
]
AnsweringPair = Annotated[str, Field(description="The loaded pair that answers: ro-en, also where ro-RO was named")]
LabelName = Annotated[
    str,
    Field(
        pattern="^[a-z][a-z0-9_-]{0,39}$",
        description="Label to predict: hter, da, effort, likert, time, origin, critical, or a label whose scale a model declares",
        examples=["hter"],
    ),
]
ProfileName = Annotated[
    Literal["fast", "accurate"],
    Field(description="accurate asks a cross-encoder where one is loaded, fast does not; the server's own where none is named"),
]
ModelId = Annotated[str, Field(min_length=1, max_length=100, description="A model's id, from GET /v1/models")]
PlainName = Annotated[str, Field(min_length=1, max_length=100), AfterValidator(plain)]
SystemName = PlainName
MOST_MODELS: Final = 64
# Ids in a list, or by system. The discriminator makes one complaint of a wrong value, not one of each alternative.
ModelIds = Annotated[
    Annotated[list[ModelId], Field(min_length=1, max_length=MOST_MODELS), Tag("list")]
    | Annotated[dict[SystemName, ModelId], Field(min_length=1, max_length=MOST_MODELS), Tag("object")],
    Discriminator(lambda value: "object" if isinstance(value, dict) else "list"),
]
