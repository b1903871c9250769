# /// attack
# tries = "ends, but leaves its output to a process that sleeps"
# zygote = "not covered: runs no shells"
# bwrap = ["ok", "timeout"]
# docker = "not covered: the attack is written for bash, which an image need not have"
# rlimit = "not covered"
# control = "none: held by the deadline or a limit only"
# output = '^done'
# policy = { time_s = 1.0 }
# ///
(trap '' TERM HUP; exec setsid sleep 10) &
echo done
