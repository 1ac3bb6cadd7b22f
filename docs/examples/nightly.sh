#!/bin/sh
# Releases the rows of a day as the first release shows such people. For cron:
#   30 2 * * *  KSPAN_FOLDER=/srv/clinic /srv/clinic/nightly.sh
# In the folder: recoding.json and policy.toml; incoming/DAY.csv; released/, which others may read.
set -u
cd "${KSPAN_FOLDER:?the folder of the release}" || exit 2
day=${1:-$(date +%F)}
new=incoming/$day.csv out=released/$day.csv log=kspan.log

# Whoever missed a night runs this again by hand: what is out stays as it is.
if [ -e "$out" ]; then
    exec kspan --log-json verify "$out" >/dev/null 2>>"$log"
fi

# All that went out before is judged together with the new rows.
set -- apply recoding.json "$new" -p policy.toml --withhold -o "$out"
for earlier in released/*.csv; do
    [ -e "$earlier" ] && set -- "$@" --with "$earlier"
done
kspan --log-json "$@" >/dev/null 2>>"$log"
code=$?
case $code in
0) kspan --log-json verify "$out" >/dev/null 2>>"$log" || code=$? ;;
1) echo "kspan: the rows of $day were not released, too few are alike: see $log" >&2 ;;
*) echo "kspan: the rows of $day could not be read or judged: see $log" >&2 ;;
esac
exit $code
