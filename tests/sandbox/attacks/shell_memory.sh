# /// attack
# tries = "takes more memory than the policy allows, in the shell's own variables"
# zygote = "not covered: runs no shells"
# bwrap = ["ok", "error", "limit", "timeout"]
# docker = "not covered: the attack is written for bash, which an image need not have"
# rlimit = ["ok", "error", "limit", "timeout"]
# control = "none: held by the deadline or a limit only"
# ///
text=$(head -c 16777216 /dev/zero | tr '\0' x)
for _ in 1 2 3 4 5 6; do text="$text$text"; done
if [ "${#text}" -ge 800000000 ]; then echo "BREACH took ${#text} bytes"; fi
exit 0
