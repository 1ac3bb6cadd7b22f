"""Examples for other programs need these programs: tests/test_pipelines.py runs what is in them."""

collect_ignore_glob = ["examples/*.py"]
