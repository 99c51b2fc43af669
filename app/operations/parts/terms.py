"""Terms of payment in requests and answers: bands or the risk that defines them, currency, price."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, NotRequired

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    FiniteFloat,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    model_validator,
)
from pydantic_core import CoreSchema, core_schema
from typing_extensions import TypedDict

from app.errors import InputError
from app.operations.operation import Body, Json
from app.operations.parts.names import PlainName, plain
from app.planning.bands import Band, check_bands
from app.planning.numerals import number_of
from app.planning.terms import Terms
from app.predictors.labels import LARGEST_LABEL

__all__ = ["BY_RISK", "Acceptance", "BandChoice", "BandRow", "BandTotal", "TermsAnswer", "TermsOptions", "kept_terms", "terms_of"]

BY_RISK: Final = "risk"
BAND_LIMIT: Final = 20
PERCENTAGE: Final = "or a percentage as text: 10% is 0.1"


def _number(value: object) -> object:
    """A percentage as the number that it is; whatever else is looked at as it came."""
    if not isinstance(value, str):
        return value
    number = number_of(value) if value.rstrip().endswith("%") else None
    if number is None:
        raise ValueError("a number such as 0.1, or a percentage such as 10% as text")
    return number


def _share(value: float) -> float:
    if not 0 < value < 1:
        raise ValueError("a share above 0 and below 1, such as 0.1; a percentage is text, such as 10%")
    return value


class _WithPercentages:
    """JSON Schema of a number that may be written as a percentage."""

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> Json:
        return {"anyOf": [handler(core), {"type": "string", "pattern": r"^ *[0-9]+([.,][0-9]+)? *% *$"}]}


Worst = Annotated[FiniteFloat, Field(ge=-LARGEST_LABEL, le=LARGEST_LABEL), BeforeValidator(_number), _WithPercentages]
Share = Annotated[FiniteFloat, BeforeValidator(_number), AfterValidator(_share), _WithPercentages]
Currency = Annotated[str, Field(min_length=1, max_length=20), AfterValidator(plain)]


class BandChoice(Body):
    """A band from confidence `at_least` (or `from`) up, paid at `rate`. Rate 0 is for words accepted without review."""

    name: PlainName
    at_least: Annotated[FiniteFloat, Field(ge=0, le=1, description="`from` is another name of this field")]
    rate: Annotated[FiniteFloat, Field(ge=0, le=10)] = 1.0

    @model_validator(mode="before")
    @classmethod
    def _from(cls, band: Any) -> Any:
        if not isinstance(band, dict) or "from" not in band:
            return band
        if "at_least" in band:
            raise ValueError("from and at_least are two names of one field; give one of them")
        return {("at_least" if name == "from" else name): value for name, value in band.items()}


class _BandsOrRisk:
    """Validates a list of bands, or the word `risk`; without a union, whose errors name its branches."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_wrap_validator_function(
            _bands_or_risk,
            handler.generate_schema(list[BandChoice]),
            serialization=core_schema.plain_serializer_function_ser_schema(_dumped),
        )

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> Json:
        return {"anyOf": [{**handler(core), "minItems": 1, "maxItems": BAND_LIMIT}, {"type": "string", "const": BY_RISK}]}


def _bands_or_risk(value: Any, validate: core_schema.ValidatorFunctionWrapHandler) -> Any:
    if value == BY_RISK:
        return BY_RISK
    if not isinstance(value, list):
        raise ValueError('a list of bands, the best first, or the word "risk"')
    if not 1 <= len(value) <= BAND_LIMIT:
        raise ValueError(f"{len(value)} bands; 1 to {BAND_LIMIT} are accepted")
    bands = validate(value)
    check_bands([Band(band.name, band.at_least, band.rate) for band in bands])
    return bands


def _dumped(value: Any) -> Any:
    return value if isinstance(value, str) else [band.model_dump() for band in value]


class Accept(Body):
    """Limit of errors among segments that skip review: labels worse than `at_worst`; the default depends on the label."""

    at_worst: Annotated[Worst, Field(description=f"In the label's unit, {PERCENTAGE}")] | None = None
    error_rate: Annotated[Share, Field(description=f"Share of what passes that may be errors, expected; {PERCENTAGE}")] = 0.1


class TermsOptions(Body):
    """Terms of a request about words and their pay."""

    bands: (
        Annotated[
            list[BandChoice] | Literal["risk"],
            Field(description="Best first, the last at 0; or `risk`: what follows from `accept`"),
            _BandsOrRisk,
        ]
        | None
    ) = None
    accept: Accept | None = None
    currency: Annotated[Currency, Field(description="Currency of amounts, as EUR")] | None = None
    word_price: Annotated[FiniteFloat, Field(ge=0, le=1e6, description="Price of a fully paid word, in `currency`")] | None = None

    @model_validator(mode="after")
    def _check_price(self) -> "TermsOptions":
        if self.word_price is not None and self.currency is None:
            raise InputError("invalid-request", "a price needs a currency", ("currency",))
        if self.currency is not None and self.bands is None:
            raise InputError("invalid-request", 'a currency goes with bands: a list, or the word "risk"', ("bands",))
        return self


class BandRow(TypedDict):
    """Segments and source words in one band, and those words at its rate."""

    name: str
    at_least: Annotated[float | None, Field(description="Null where acceptance alone decides")]
    rate: float
    segments: int
    source_words: int
    share: float
    paid_words: float
    paid: NotRequired[Annotated[float, Field(description="Amount in the currency")]]


class BandTotal(TypedDict):
    """The sum of the bands."""

    segments: int
    source_words: int
    paid_words: float
    paid: NotRequired[float]


class TermsAnswer(TypedDict):
    """Basis of the bands, and its assumptions."""

    basis: Annotated[Literal["risk", "bands"], Field(description="Origin of the bands: the risk, or the request")]
    unseen: Annotated[
        Literal["all-paid", "unknown", "nothing", "some"],
        Field(description="Segments paid at rate 0; unknown: no error is defined"),
    ]
    at_worst: float | None
    error_rate: float | None
    currency: str | None
    word_price: float | None
    assumption: str


class Acceptance(TypedDict):
    """Segments that pass, and the expected share of errors among them; none pass if the threshold is null."""

    at_worst: float
    error_rate: float
    threshold: float | None
    accepted: int
    expected_errors: float
    meaning: str


def terms_of(request: TermsOptions) -> Terms:
    """Terms of a request, before its label is known."""
    bands = [] if isinstance(request.bands, str) else request.bands or []
    return Terms(
        tuple(Band(band.name, band.at_least, band.rate) for band in bands),
        request.bands == BY_RISK,
        request.accept.at_worst if request.accept else None,
        request.accept.error_rate if request.accept else None,
        request.currency,
        request.word_price,
    )


def kept_terms(params: Mapping[str, Any], request: TermsOptions) -> Terms:
    """The terms that were fixed when a job was planned; those of its request for jobs of older versions."""
    return Terms.from_json(params["terms"]) if "terms" in params else terms_of(request)
