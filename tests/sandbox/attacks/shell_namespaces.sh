# /// attack
# tries = "makes namespaces and mounts by the system's own tools"
# zygote = "not covered: runs no shells"
# bwrap = ["ok"]
# docker = "not covered: the attack is written for bash, which an image need not have"
# rlimit = "not covered"
# control = "breach"
# ///
if unshare -r true 2>/dev/null; then echo "BREACH made a user namespace"; fi
if unshare -rm mount -t tmpfs none /tmp 2>/dev/null; then echo "BREACH mounted"; fi
if mount -o remount,rw / 2>/dev/null; then echo "BREACH remounted"; fi
true
