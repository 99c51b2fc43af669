"""GET /v1/resources, /v1/features/catalogue, /v1/metrics and /problems."""

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

from app.answers import resources_answer
from app.api.access import ServiceHere
from app.api.problems import PROBLEM_RESPONSES
from app.api.schemas import ResourcesAnswer
from app.errors import PROBLEMS, InputError
from app.features import CATALOGUE, feature_sets
from app.metrics import METRICS

__all__ = ["router"]

router = APIRouter(tags=["catalogue"], responses=PROBLEM_RESPONSES)


@router.get("/v1/resources", response_model=ResourcesAnswer)
def resources(service: ServiceHere) -> Response:
    """What is loaded per language and pair, and the limits of requests."""
    settings = service.settings
    names = [name for name in type(settings).model_fields if name.startswith("max_")]
    limits = {name: getattr(settings, name) for name in names}
    return JSONResponse({**resources_answer(service.engine), "limits": limits})


@router.get("/v1/features/catalogue")
def features_catalogue() -> Response:
    """Every feature and every feature set."""
    features = [
        {
            "id": f.id,
            "name": f.name,
            "description": f.description,
            "level": f.level.value,
            "family": f.family.value,
            "source": f.source,
            "needs": [str(need) for need in f.needs],
        }
        for f in CATALOGUE.values()
    ]
    sets = [
        {
            "name": s.name,
            "description": s.description,
            "features": [f.id for f in s.features],
            "needs": [str(need) for need in s.needs],
            "requires": sorted(str(need) for need in s.requires),
        }
        for s in feature_sets().values()
    ]
    return JSONResponse({"features": features, "sets": sets})


@router.get("/v1/metrics")
def metrics_catalogue(service: ServiceHere) -> Response:
    """Every metric with its variants and the options it takes, and the trained metrics that are loaded."""
    rows = [
        {
            "name": m.name,
            "description": m.description,
            "variants": m.variants,
            "options": {key: option.accepted for key, option in m.options.items()},
            "source": m.source,
        }
        for m in METRICS.values()
    ]
    trained = [
        {"id": t.id, "kind": t.kind, "language": t.language, "unit": t.unit, "sha256": t.checksum, "card": dict(t.card)}
        for t in service.engine.trained_metrics.values()
    ]
    return JSONResponse({"metrics": rows, "trained": trained})


@router.get("/problems/{code}")
def problem(code: str) -> Response:
    """What a problem's type means."""
    if code not in PROBLEMS:
        raise InputError("not-found", "there is no such problem", ("code",))
    return JSONResponse({"type": f"/problems/{code}", "title": PROBLEMS[code].title, "status": PROBLEMS[code].status})
