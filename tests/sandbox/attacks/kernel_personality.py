# /// attack
# tries = "turns off address randomisation and makes readable memory executable"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
READ_IMPLIES_EXEC, ADDR_NO_RANDOMIZE = 0x0400000, 0x0040000
attempt("personality", syscall, "personality", READ_IMPLIES_EXEC | ADDR_NO_RANDOMIZE)
