# /// attack
# tries = "calls that only an administrator may make, each with arguments that can do nothing"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "none: needs the machine's own root"
# ///
import errno

# With the right, each would complain of its arguments instead (EINVAL, EFAULT, ENOENT, EBADF).
CALLS = {
    "reboot": (0, 0, 0, 0),
    "init_module": (0, 0, 0),
    "finit_module": (-1, 0, 0),
    "delete_module": (0, 0),
    "kexec_load": (0, 0, 0, 1 << 40),
    "swapon": (0, 0),
    "swapoff": (0,),
    "acct": (1,),
    "syslog": (2, 0, -1),
}
for name, args in CALLS.items():
    try:
        syscall(name, *args)
        breach(f"{name} worked")
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOSYS, errno.EACCES):
            breach(f"{name} complained only of its arguments ({error.strerror})")
