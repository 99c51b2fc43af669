"""Recipes: commands of Assay one after the other, each run again only where what it works on has changed."""

from app.operations.recipe.reading import Recipe, Step, read_recipe
from app.shell.recipes.running import Outcome, run_recipe

__all__ = ["Outcome", "Recipe", "Step", "read_recipe", "run_recipe"]
