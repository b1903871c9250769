# /// attack
# tries = "opens /etc/shadow (nothing of it is printed)"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "none: in the container as in the sandbox root's own files may be hidden"
# ///
for path in ("/etc/shadow", "/etc/gshadow", "/etc/sudoers"):
    attempt(f"opened {path}", open, path, "rb")
