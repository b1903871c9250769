# /// attack
# tries = "kills a process of the test, by each call that sends a signal"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
import ctypes
import signal

pid = bait["process"]
attempt("sent nothing to a process of the test", os.kill, pid, 0)
attempt("kill", os.kill, pid, signal.SIGKILL)
attempt("stopped it", os.kill, pid, signal.SIGSTOP)
attempt("tkill", syscall, "tkill", pid, signal.SIGTERM)
attempt("tgkill", syscall, "tgkill", pid, pid, signal.SIGTERM)
note = ctypes.create_string_buffer(128)
attempt("rt_sigqueueinfo", syscall, "rt_sigqueueinfo", pid, signal.SIGTERM, note)
with contextlib.suppress(OSError):
    held = syscall("pidfd_open", pid, 0)
    attempt("pidfd_send_signal", syscall, "pidfd_send_signal", held, signal.SIGKILL, None, 0)
attempt("killed its group", os.killpg, pid, signal.SIGKILL)
