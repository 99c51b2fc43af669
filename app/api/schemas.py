"""The bodies of requests and answers."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = [
    "Body",
    "JobAnswer",
    "JobList",
    "JobRequest",
    "Label",
    "Language",
    "ModelCard",
    "ModelId",
    "ModelList",
    "ResourcesAnswer",
    "Status",
    "SystemName",
    "WordTaggerCard",
    "with_example",
]

Language = Annotated[str, Field(pattern="^[a-z]{2,3}$", description="ISO 639 code", examples=["en"])]
Label = Annotated[Literal["hter", "da", "effort", "likert", "time"], Field(description="What is predicted")]
ModelId = Annotated[str, Field(min_length=1, max_length=100, description="A model's id, from GET /v1/models")]
SystemName = Annotated[str, Field(min_length=1, max_length=100)]


def with_example(example: dict[str, Any]) -> ConfigDict:
    """What every body has, and an example of this one, which a test sends to a server."""
    return ConfigDict(extra="forbid", strict=True, json_schema_extra={"examples": [example]})


class Body(BaseModel):
    """A request: unknown fields are refused, types are not guessed."""

    model_config = ConfigDict(extra="forbid", strict=True)


class JobRequest(Body):
    """POST /v1/jobs: `params` is the body of the kind's own call, or of training and evaluation."""

    model_config = with_example(
        {
            "kind": "quality",
            "owner": "night build",
            "params": {
                "source_language": "ro",
                "target_language": "en",
                "segments": [{"source": "Casa.", "translation": "House."}],
            },
        }
    )

    kind: Literal["quality", "features", "score", "rank", "train", "evaluate", "select"]
    params: dict[str, Any]
    owner: Annotated[str, Field(max_length=100, description="A name for people, shown in lists")] | None = None
    webhook: Annotated[str, Field(max_length=2000, description="Address that is told of the job's end")] | None = None


class Status(BaseModel):
    """State of the service."""

    status: str


class WordTaggerCard(BaseModel):
    """A word tagger's card."""

    model_config = ConfigDict(extra="allow")
    id: str
    pair: str
    word_features: list[str]
    gap_features: list[str]
    accuracy: dict[str, Any]


class JobAnswer(BaseModel):
    """A job and how far it is."""

    id: str
    kind: str
    state: Literal["queued", "running", "succeeded", "failed", "cancelled"]
    owner: str | None
    done: int
    total: int
    rate: float | None = Field(description="Segments per second")
    eta: float | None = Field(description="Seconds to the end, estimated")
    created: str
    started: str | None
    finished: str | None
    error: dict[str, Any] | None
    summary: dict[str, Any] | None
    params: dict[str, Any]


class JobList(BaseModel):
    """Jobs, the newest first."""

    jobs: list[JobAnswer]
    next: str | None = Field(description="What to send as `after` for the next page; null on the last")


class ModelCard(BaseModel):
    """A predictor's card."""

    model_config = ConfigDict(extra="allow")
    id: str
    pair: str
    label: str
    unit: str
    direction: str
    features: list[str]
    learner: str
    training_data: dict[str, Any]
    accuracy: dict[str, Any]


class ModelList(BaseModel):
    """All predictors, of segments and of words."""

    models: list[ModelCard]
    word_models: list[WordTaggerCard]


class ResourcesAnswer(BaseModel):
    """What is loaded, and the limits of requests."""

    pairs: list[str]
    resources: list[dict[str, Any]]
    limits: dict[str, int]
