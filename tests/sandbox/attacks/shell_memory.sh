# /// attack
# tries = "takes more memory than the policy allows, in the shell's own variables"
# zygote = "not covered: runs no shells"
# bwrap = ["ok", "error", "limit"]
# docker = ["ok", "error", "limit"]
# rlimit = ["ok", "error", "limit"]
# control = "none: held by the deadline or a limit only"
# policy = { time_s = 10.0 }
# ///
text=$(head -c 16777216 /dev/zero | tr '\0' x)
all=""
for number in $(seq 1 48); do all="$all$text"; done
if [ "${#all}" -ge 800000000 ]; then echo "BREACH took ${#all} bytes"; fi
exit 0
