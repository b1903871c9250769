# /// attack
# tries = "reaches files of the test through /proc: root, cwd and fd of itself and of others"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
pids = ["self", "1", str(os.getppid()), str(bait["caller"]), str(bait["process"]), "thread-self"]
for pid in pids:
    for link in ("root", "cwd/" + "../" * 40):
        path = f"/proc/{pid}/{link}{bait['public']}"
        attempt(f"read through /proc/{pid}/{link[:4]}", open, path, "rb")
