# /// attack
# tries = "starts 200 processes, more than the policy allows"
# zygote = "not covered: runs no shells"
# bwrap = ["ok", "error"]
# docker = "not covered: the attack is written for bash, which an image need not have"
# rlimit = "not covered"
# control = "breach"
# policy = { time_s = 6.0 }
# ///
count=0
while [ "$count" -lt 200 ] && [ "$SECONDS" -lt 3 ]; do
    sleep 3 2>/dev/null >/dev/null &
    count=$((count + 1))
done
alive=$(jobs -r | wc -l)
if [ "$alive" -gt "$bait_processes" ]; then echo "BREACH $alive processes at once"; fi
exit 0
