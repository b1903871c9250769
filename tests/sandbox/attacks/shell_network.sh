# /// attack
# tries = "connects by bash's /dev/tcp and /dev/udp"
# zygote = "not covered: runs no shells"
# bwrap = ["ok"]
# docker = "not covered: the attack is written for bash, which an image need not have"
# rlimit = "not covered"
# control = "breach"
# ///
if (exec 3<>"/dev/tcp/127.0.0.1/$bait_tcp") 2>/dev/null; then echo "BREACH connected over TCP"; fi
(echo hello >"/dev/udp/127.0.0.1/$bait_udp") 2>/dev/null
true
