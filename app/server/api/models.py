"""GET /v1/models, and the versions of a model: promoted by hand, rolled back."""

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.operations import models
from app.operations.models import ModelDetails, ModelList, PromotionAnswer, PromotionRequest, WordTaggerCard
from app.server.api.caching import tagged
from app.server.api.problems import PROBLEM_RESPONSES
from app.server.service.access import RequestAccess

__all__ = ["router"]

router = APIRouter(prefix="/v1/models", tags=["models"], responses=PROBLEM_RESPONSES)


@router.get("", response_model=ModelList)
def list_models(request: Request, access: RequestAccess) -> Response:
    """Cards of all predictors."""
    return tagged(request, models.list_models(access.engine))


@router.get("/{model}", response_model=ModelDetails | WordTaggerCard)
def get_model(model: str, request: Request, access: RequestAccess) -> Response:
    """The card of one model, with its versions and feedback."""
    return tagged(request, access.describe_model(model))


@router.post("/{model}/promote", response_model=PromotionAnswer)
def promote_model(model: str, body: PromotionRequest, access: RequestAccess) -> Response:
    """Make this model the default of its pair and label."""
    return JSONResponse(access.promote(model, body))


@router.post("/{model}/rollback", response_model=PromotionAnswer)
def roll_back_model(model: str, body: PromotionRequest, access: RequestAccess) -> Response:
    """Undo the promotion of this model; 409 if it is not the default."""
    return JSONResponse(access.roll_back(model, body))
