"""Judgements of people: feedback on translations, its records, and corrections of jobs."""
