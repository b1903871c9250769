# /// attack
# tries = "makes and opens devices"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "none: needs the machine's own root"
# ///
import stat

attempt("made a device", os.mknod, "device", 0o600 | stat.S_IFBLK, os.makedev(7, 0))
attempt("made a character device", os.mknod, "memory", 0o600 | stat.S_IFCHR, os.makedev(1, 1))
# Opened and closed again, never read.
for name in ("mem", "kmsg", "port", "kvm", "fuse", "net/tun", "vhost-vsock", "loop-control"):
    attempt(f"opened /dev/{name}", open, f"/dev/{name}", "rb", buffering=0)
for name in ("vda", "sda", "nvme0n1", "xvda", "loop0", "dm-0"):
    attempt(f"opened /dev/{name}", open, f"/dev/{name}", "rb", buffering=0)
