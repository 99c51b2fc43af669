"""Campaigns of Pearmut, in which people judge translations: campaign files, and the logs of judgements."""

from app.documents.campaigns.campaign import ATTENTION, Campaign, CampaignItem, ErrorSpan, campaign_json, check_campaign_names
from app.documents.campaigns.judgements import Judgement, JudgementLog, read_judgements

__all__ = [
    "ATTENTION",
    "Campaign",
    "CampaignItem",
    "ErrorSpan",
    "Judgement",
    "JudgementLog",
    "campaign_json",
    "check_campaign_names",
    "read_judgements",
]
