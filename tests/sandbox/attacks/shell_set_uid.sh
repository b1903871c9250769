# /// attack
# tries = "gains rights by set-uid programs of the system"
# zygote = "not covered: runs no shells"
# bwrap = ["ok"]
# docker = "not covered: the attack is written for bash, which an image need not have"
# rlimit = "not covered"
# control = "none: a container of its own has nothing to gain"
# ///
if [ "$(id -u)" = 0 ] && [ "$(sed -n 's/^CapEff:\t*//p' /proc/self/status)" != 0000000000000000 ]; then
    echo "BREACH root with capabilities"
fi
grep -q '^NoNewPrivs:.*1' /proc/self/status || echo "BREACH set-uid programs would give rights"
if sudo -n true </dev/null >/dev/null 2>&1; then echo "BREACH sudo works"; fi
true
