# /// attack
# tries = "starts other programs: by subprocess, posix_spawn and exec"
# zygote = ["ok"]
# bwrap = "not covered: programs may be started there"
# docker = "not covered: programs may be started there"
# rlimit = "not covered"
# control = "breach"
# ///
import subprocess

TRUE = "/bin/true"
attempt("subprocess", subprocess.run, [TRUE], check=False)
attempt("posix_spawn", os.posix_spawn, TRUE, [TRUE], {})
if os.system(TRUE) == 0:
    breach("os.system")
attempt("exec", os.execv, "/bin/sh", ["/bin/sh", "-c", "echo BREACH exec"])
