#!/bin/bash
# Half for the lines, half for the count; the expected lines are here, not in the agent's folder.
score=0
cmp -s /app/sorted.txt /tests/expected.txt && score=$((score + 1))
[ "$(tr -d '[:space:]' < /app/count.txt)" = 4 ] && score=$((score + 1))
awk -v score=$score 'BEGIN { print score / 2 }' > /logs/verifier/reward.txt
