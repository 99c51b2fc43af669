"""A judge of encoded sentences: labels of many language pairs, learned by a kernel over the vectors of both texts."""

from app.predictors.sentences.model import Judge, JudgeCard, load_judge, read_judge_card, save_judge

__all__ = ["Judge", "JudgeCard", "load_judge", "read_judge_card", "save_judge"]
