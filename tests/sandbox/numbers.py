"""Numbers of the system calls that the attacks make, which Python has no functions for."""

import platform

# Name: (number on x86-64, number on aarch64); None where the machine has no such call.
_TABLE: dict[str, tuple[int, int | None]] = {
    "acct": (163, 89),
    "add_key": (248, 217),
    "bpf": (321, 280),
    "capget": (125, 90),
    "capset": (126, 91),
    "clone": (56, 220),
    "clone3": (435, 435),
    "delete_module": (176, 106),
    "fallocate": (285, 47),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "fchownat": (260, 54),
    "finit_module": (313, 273),
    "fork": (57, None),
    "fsopen": (430, 430),
    "init_module": (175, 105),
    "inotify_add_watch": (254, 27),
    "inotify_init1": (294, 26),
    "io_uring_setup": (425, 425),
    "ioprio_set": (251, 30),
    "kcmp": (312, 272),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "mount": (165, 40),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "personality": (135, 92),
    "pidfd_getfd": (438, 438),
    "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424),
    "pivot_root": (155, 41),
    "prctl": (157, 167),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "reboot": (169, 142),
    "renameat2": (316, 276),
    "rt_sigqueueinfo": (129, 138),
    "sched_setattr": (314, 274),
    "setfsuid": (122, 151),
    "setns": (308, 268),
    "setxattrat": (463, 463),
    "socket": (41, 198),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "tgkill": (234, 131),
    "tkill": (200, 130),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
    "utimensat": (280, 88),
}


def numbers() -> dict[str, int]:
    """Return the numbers on this machine; none on a machine that is not in the table."""
    place = {"x86_64": 0, "aarch64": 1}.get(platform.machine())
    if place is None:
        return {}
    return {name: row[place] for name, row in _TABLE.items() if row[place] is not None}
