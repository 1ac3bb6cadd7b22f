"""The data kspan ships: the Adult census data with hierarchies, and the small tables printed in the papers."""

from kspan.datasets.adult import adult_hierarchies, adult_policy, load_adult
from kspan.datasets.papers import (
    mortgage,
    mortgage_anonymous,
    patients,
    patients_anonymous,
    sex_salary,
    small_mortgage,
    zip_income,
)

__all__ = [
    "adult_hierarchies",
    "adult_policy",
    "load_adult",
    "mortgage",
    "mortgage_anonymous",
    "patients",
    "patients_anonymous",
    "sex_salary",
    "small_mortgage",
    "zip_income",
]
