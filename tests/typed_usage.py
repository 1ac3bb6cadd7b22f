"""How a user writes it, for the type checker: read by mypy in test_checks, never run."""

import kspan as ks

policy = ks.Policy(
    public=["age", "sex"],
    private=("income",),
    require=ks.KAnonymity(3) & ks.TCloseness(0.1, on=("income",)),
    domains={"age": [0, 120]},
    hierarchies={"age": ks.Intervals((5, 10))},
)
same = ks.Policy(public=["age", "sex"], private=["income"], require="k=3")
coarser = ks.Policy(public=["age"], private={"income": {"top": "1%", "round": 1000}, "illness": {}}, require="k=3")
audit: ks.Audit = ks.audit(ks.datasets.load_adult(), policy)
smallest: int = audit.k.rows
tree: ks.Tree = ks.learn(ks.datasets.load_adult(), policy)
labels: tuple[str, ...] = ks.learn(ks.datasets.load_adult(), policy, "naive-bayes").labels
loaded = ks.predict(ks.load_model("model.json"), ks.datasets.load_adult())
closeness: float = ks.t_closeness(ks.datasets.load_adult(), policy.public, "income")
comparison: ks.Comparison = ks.compare(ks.datasets.load_adult(), {}, ks.datasets.load_adult(), policy, ["id3", "c45"])
own = ks.compare(
    ks.datasets.load_adult(), {}, "test.csv", policy, {"first": lambda frame, policy: lambda rows: rows["x"]}
)
p: float = ks.friedman({"a": [1.0, 2.0], "b": [2, 1]}).p
