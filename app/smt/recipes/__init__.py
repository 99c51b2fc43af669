"""Recipes: sequences of corpus tools as steps, with their input and output files."""

from app.operations.operation import Operation, Steps
from app.smt.recipes.planning import amount_of_step, plan_form, plan_recipe
from app.smt.recipes.request import RecipeAnswer, RecipeRequest, check_recipe
from app.smt.recipes.steps import finish_recipe, work_step

__all__ = ["RecipeAnswer", "RecipeRequest", "operation"]

operation = Operation[RecipeRequest, RecipeAnswer](
    name="recipe",
    summary="Run a recipe of corpus tools on files that come with it or that other jobs hold.",
    request=RecipeRequest,
    answer_type=RecipeAnswer,
    check=check_recipe,
    tag="corpus",
    scope="resources",
    steps=Steps(
        plan_recipe,
        work_step,
        finish_recipe,
        rows="steps",
        from_files=plan_form,
        long=True,
        outside=True,
        amount=amount_of_step,
        makes_files=True,
    ),
)
