# /// attack
# tries = "fills the disk: one file, then many (300 MB at most)"
# zygote = "not covered: runs no shells"
# bwrap = ["ok", "error", "limit"]
# docker = "not covered: the attack is written for bash, which an image need not have"
# rlimit = "not covered"
# control = "breach"
# ///
for number in $(seq 1 10); do head -c 30000000 /dev/zero >"file-$number" 2>/dev/null; done
used=$(du -sk . | cut -f1)
if [ "$used" -gt 200000 ]; then echo "BREACH wrote $used kB"; fi
exit 0
