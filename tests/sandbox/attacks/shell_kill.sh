# /// attack
# tries = "kills the test's process, the caller and its own parent"
# zygote = "not covered: runs no shells"
# bwrap = ["ok"]
# docker = "not covered: the attack is written for bash, which an image need not have"
# rlimit = "not covered"
# control = "breach"
# ///
for pid in "$bait_process" "$bait_caller"; do
    if kill -0 "$pid" 2>/dev/null; then echo "BREACH reaches $pid"; fi
done
kill -9 "$bait_process" 2>/dev/null
if [ "$PPID" -gt 1 ]; then kill -0 "$PPID" 2>/dev/null && echo "BREACH reaches its parent"; fi
true
