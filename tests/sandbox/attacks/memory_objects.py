# /// attack
# tries = "grows a list until memory ends, and does not catch the error"
# zygote = ["error", "limit"]
# bwrap = ["error", "limit"]
# docker = ["error", "limit"]
# rlimit = ["error", "limit"]
# control = "breach"
# ///
goal = bait["policy"]["memory_bytes"] + (512 << 20)
taken = []
while len(taken) << 20 < goal:
    taken.append(bytearray(1 << 20))
breach(f"took {goal >> 20} MB")
