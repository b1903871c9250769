# /// attack
# tries = "leaves processes behind: setsid, nohup, disown"
# zygote = "not covered: runs no shells"
# bwrap = ["ok", "timeout"]
# docker = "not covered: the attack is written for bash, which an image need not have"
# rlimit = "not covered"
# control = "breach"
# policy = { time_s = 1.0 }
# ///
(setsid nohup sh -c "sleep 1.5; echo a daemon was here >>'$bait_file'" >/dev/null 2>&1 &)
(trap '' HUP INT TERM; sleep 1.5; echo a daemon was here >>"$bait_file") >/dev/null 2>&1 &
disown -a
exit 0
