"""The small tables printed in the papers kspan builds on, cell for cell.

Friedman 2008 is Friedman, Wolff, Schuster, Providing k-anonymity in data mining, VLDB Journal 17 (2008); Friedman
2006 is Friedman, Schuster, Wolff, k-Anonymous Decision Tree Induction, PKDD 2006; Shao is Shao, Beckford, Learning
Decision Trees from Anonymized Data. Generalized cells are written as kspan writes them: `*` for any value, `{a|b}` for
a set.
"""

import polars as pl


def mortgage() -> pl.DataFrame:
    """Twelve clients of a mortgage company and their loan risk (Friedman 2008, Table 1).

    >>> mortgage().group_by("Gender", "Loan risk").len().sort("Gender", "Loan risk").rows()
    [('Female', 'Bad', 4), ('Female', 'Good', 2), ('Male', 'Bad', 2), ('Male', 'Good', 4)]
    """
    return _table(
        "Name, Gender, Married, Age, Sports car, Loan risk",
        """
        Anthony, Male, Yes, Young, Yes, Good
        Brian, Male, Yes, Young, No, Good
        Charles, Male, Yes, Young, Yes, Good
        David, Male, Yes, Old, Yes, Good
        Edward, Male, Yes, Old, Yes, Bad
        Frank, Male, No, Old, Yes, Bad
        Alice, Female, No, Young, No, Good
        Barbara, Female, No, Old, Yes, Good
        Carol, Female, No, Young, No, Bad
        Donna, Female, Yes, Young, No, Bad
        Emily, Female, Yes, Young, Yes, Bad
        Fiona, Female, Yes, Young, Yes, Bad
        """,
    )


def mortgage_anonymous() -> pl.DataFrame:
    """The rows of `mortgage` as a 3-anonymous table, without names and in the same order (Friedman 2008, Table 2).

    >>> mortgage_anonymous().group_by("Gender", "Married", "Age", "Sports car").len()["len"].to_list()
    [3, 3, 3, 3]
    """
    return _table(
        "Gender, Married, Age, Sports car, Loan risk",
        """
        Male, *, Young, *, Good
        Male, *, Young, *, Good
        Male, *, Young, *, Good
        Male, *, Old, *, Good
        Male, *, Old, *, Bad
        Male, *, Old, *, Bad
        Female, No, *, *, Good
        Female, No, *, *, Good
        Female, No, *, *, Bad
        Female, Yes, *, *, Bad
        Female, Yes, *, *, Bad
        Female, Yes, *, *, Bad
        """,
    )


def small_mortgage() -> pl.DataFrame:
    """Six clients, for trees that split on a private attribute (Friedman 2008, Table 4; Friedman 2006, Table 1).

    >>> small_mortgage().group_by("Marital status").len().sort("Marital status").rows()
    [('Married', 3), ('Unmarried', 3)]
    """
    return _table(
        "Name, Marital status, Sports car, Loan risk",
        """
        Lisa, Unmarried, Yes, Good
        John, Married, Yes, Good
        Ben, Married, No, Bad
        Laura, Married, No, Bad
        Robert, Unmarried, Yes, Bad
        Anna, Unmarried, No, Bad
        """,
    )


def zip_income() -> pl.DataFrame:
    """Six customers to be clustered, by zip code (as a number) and income in dollars (Friedman 2008, Table 5).

    >>> zip_income().filter(pl.col("Name") == "Lisa").row(0)
    ('Lisa', 15013, 100000)
    """
    return _table(
        "Name, Zip code, Income",
        """
        John, 11001, 98000
        Cathy, 11001, 62000
        Ben, 13010, 36000
        Laura, 13010, 115000
        William, 14384, 44000
        Lisa, 15013, 100000
        """,
    ).cast({"Zip code": pl.Int64, "Income": pl.Int64})


def patients() -> pl.DataFrame:
    """Six patients, with age and postcode as numbers (Shao, Table I).

    >>> patients().height, patients()["Age"].sum()
    (6, 151)
    """
    return _table(
        "Age, Gender, Postcode, Disease",
        """
        20, M, 1032, HIV
        23, M, 2113, Flu
        27, F, 5632, HIV
        25, F, 1023, Obesity
        27, F, 1132, Cancer
        29, M, 3232, Heart Attack
        """,
    ).cast({"Age": pl.Int64, "Postcode": pl.Int64})


def patients_anonymous() -> pl.DataFrame:
    """The rows of `patients`, generalized by sets to a 3-anonymous table, in the same order (Shao, Table II).

    >>> patients_anonymous().group_by("Age", "Gender", "Postcode").len()["len"].to_list()
    [3, 3]
    """
    return _table(
        "Age, Gender, Postcode, Disease",
        """
        {20|23|27}, {F|M}, {1032|2113|5632}, HIV
        {20|23|27}, {F|M}, {1032|2113|5632}, Flu
        {20|23|27}, {F|M}, {1032|2113|5632}, HIV
        {25|27|29}, {F|M}, {1023|1132|3232}, Obesity
        {25|27|29}, {F|M}, {1023|1132|3232}, Cancer
        {25|27|29}, {F|M}, {1023|1132|3232}, Heart Attack
        """,
    )


def sex_salary() -> pl.DataFrame:
    """Eight people, an example for the entropy of a generalized attribute (Shao, Table III).

    >>> sex_salary().group_by("Sex").len().sort("Sex").rows()
    [('F', 4), ('M', 1), ('{F|M}', 3)]
    """
    return _table(
        "Sex, Salary",
        """
        {F|M}, <=50
        F, <=50
        F, >50
        F, <=50
        M, >50
        {F|M}, <=50
        F, <=50
        {F|M}, >50
        """,
    )


def _table(columns: str, rows: str) -> pl.DataFrame:
    cells = [line.strip().split(", ") for line in rows.strip().splitlines()]
    return pl.DataFrame(cells, schema=columns.split(", "), orient="row")
