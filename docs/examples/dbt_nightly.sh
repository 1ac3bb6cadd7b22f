#!/bin/sh
# Around dbt with DuckDB: dbt makes `visits`, kspan releases it, and dbt goes on from `released`, which is a source to it.
# With PostgreSQL, the address of each table is postgresql:///clinic?table=...
set -u
database=${KSPAN_DATABASE:-warehouse.duckdb}
dbt build --select +visits || exit 2
kspan --log-json apply recoding.json "$database?table=visits" --withhold -o "$database?table=released" >/dev/null
code=$?
if [ $code -ne 0 ]; then
    exit $code # 1: too few are alike, so `released` is still that of the night before
fi
kspan --log-json verify "$database?table=released" >/dev/null || exit $?
dbt build --select source:clinic.released+ || exit 2
