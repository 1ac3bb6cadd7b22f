"""An Airflow DAG: every night, audit the new rows, release them as the first release shows such people, and verify."""

import os
from datetime import datetime

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

FOLDER = os.environ.get("KSPAN_FOLDER", "/srv/clinic")

# Raw rows seldom hold, which is no failure: only an audit that could not be made (2) is one.
AUDIT = """
kspan --log-json audit incoming/{{ ds }}.csv -p policy.toml --without-identifiers --json > audits/{{ ds }}.json
[ $? -le 1 ]
"""
# If too few people came (1), the night is skipped, and so is what follows; anything else (2) fails, and is tried again.
APPLY = """
set -- recoding.json incoming/{{ ds }}.csv -p policy.toml --withhold -o released/{{ ds }}.csv
for earlier in released/*.csv; do
    if [ -e "$earlier" ] && [ "$earlier" != released/{{ ds }}.csv ]; then set -- "$@" --with "$earlier"; fi
done
kspan --log-json apply "$@" > /dev/null
"""
# A table that is not the one that was released (1) must never be passed over.
VERIFY = """
kspan --log-json verify released/{{ ds }}.csv
"""

with DAG("kspan_nightly", schedule="30 2 * * *", start_date=datetime(2026, 1, 1), catchup=False):
    look = BashOperator(task_id="audit", bash_command=AUDIT, cwd=FOLDER, retries=2)
    release = BashOperator(task_id="apply", bash_command=APPLY, cwd=FOLDER, retries=2, skip_on_exit_code=1)
    check = BashOperator(task_id="verify", bash_command=VERIFY, cwd=FOLDER)
    look >> release >> check
