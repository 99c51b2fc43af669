"""What requests call languages, labels, models and systems by."""

from typing import Annotated, Literal

from pydantic import Field

__all__ = ["LabelName", "Language", "ModelId", "SystemName"]

Language = Annotated[str, Field(pattern="^[a-z]{2,3}$", description="ISO 639 code", examples=["en"])]
LabelName = Annotated[Literal["hter", "da", "effort", "likert", "time"], Field(description="What is predicted")]
ModelId = Annotated[str, Field(min_length=1, max_length=100, description="A model's id, from GET /v1/models")]
SystemName = Annotated[str, Field(min_length=1, max_length=100)]
