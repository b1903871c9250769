"""Linux system calls by name: their numbers, and which of them a confined program may make.

The numbers are the kernel's own, which never change: of x86-64 (``asm/unistd_64.h``) and of the
table that newer architectures share (``asm-generic/unistd.h``), 64-bit ARM among them. A name
that an architecture lacks (ARM has ``openat`` but no ``open``) is None there.
"""

from __future__ import annotations


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


ARCHITECTURES: dict[str, tuple[int, int]] = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
"""Machine name -> (the kernel's AUDIT_ARCH number, column of ``NUMBERS``)."""

ALLOWED = _words("""
    read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 close close_range lseek
    sendfile copy_file_range
    fstat stat lstat newfstatat statx statfs fstatfs access faccessat faccessat2
    getdents getdents64 getcwd chdir fchdir
    rename renameat renameat2 mkdir mkdirat rmdir link linkat unlink unlinkat
    symlink symlinkat readlink readlinkat
    umask truncate ftruncate fadvise64 fsync fdatasync flock dup dup2 dup3 pipe pipe2
    mmap mprotect munmap mremap madvise brk msync mincore
    rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigsuspend sigaltstack
    restart_syscall pause
    select pselect6 poll ppoll
    epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2
    eventfd eventfd2 timerfd_create timerfd_settime timerfd_gettime
    nanosleep clock_nanosleep clock_gettime clock_getres gettimeofday time times
    getitimer setitimer alarm timer_create timer_settime timer_gettime timer_delete timer_getoverrun
    getpid getppid gettid getuid geteuid getgid getegid getresuid getresgid getgroups
    getpgrp getpgid getsid getrusage getrlimit getpriority sysinfo uname getcpu
    sched_yield sched_getaffinity sched_getparam sched_getscheduler
    sched_get_priority_max sched_get_priority_min
    futex set_tid_address set_robust_list get_robust_list rseq membarrier arch_prctl getrandom
    exit exit_group wait4 waitid
    recvfrom recvmsg shutdown getsockname getpeername getsockopt setsockopt
""")
"""What level ``zygote`` lets through as it is; ``seccomp.py`` adds those it looks into."""

IGNORED = _words("chmod fchmod fchmodat fchmodat2 utime utimes futimesat utimensat")
"""What level ``zygote`` answers with success and does not do.

Landlock does not hold these, and copying a file asks for them by the way."""

UNSUPPORTED = _words("""
    setxattr lsetxattr fsetxattr getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr
    removexattr lremovexattr fremovexattr
""")
"""What level ``zygote`` answers as a file system without such attributes would."""

DENIED = _words("""
    unshare setns mount umount2 pivot_root chroot mount_setattr move_mount open_tree
    fsopen fsconfig fsmount fspick
    keyctl add_key request_key io_uring_setup io_uring_enter io_uring_register
    bpf perf_event_open userfaultfd ptrace process_vm_readv process_vm_writev process_madvise
    kcmp pidfd_getfd kexec_load kexec_file_load init_module finit_module delete_module
    open_by_handle_at name_to_handle_at personality swapon swapoff acct quotactl quotactl_fd
    syslog reboot shmget shmat shmctl msgget semget memfd_create memfd_secret mq_open fanotify_init
    lookup_dcookie settimeofday clock_settime clock_adjtime adjtimex setdomainname sethostname
    vhangup move_pages migrate_pages mbind set_mempolicy sendmsg sendmmsg
""")
"""What level ``bwrap`` refuses (the namespaces hold the rest): a kernel's rarely needed doors, and
memory and files that no limit counts (``sendmsg`` can send open files away)."""

_TABLE = _words("""
    access:21:- acct:163:89 add_key:248:217 adjtimex:159:171 alarm:37:- arch_prctl:158:-
    bpf:321:280 brk:12:214 chdir:80:49 chroot:161:51 clock_adjtime:305:266 clock_getres:229:114
    clock_gettime:228:113 clock_nanosleep:230:115 clock_settime:227:112 clone:56:220
    clone3:435:435 close:3:57 close_range:436:436 copy_file_range:326:285 creat:85:-
    delete_module:176:106 dup:32:23 dup2:33:- dup3:292:24 epoll_create:213:-
    epoll_create1:291:20 epoll_ctl:233:21 epoll_pwait:281:22 epoll_pwait2:441:441
    epoll_wait:232:- eventfd:284:- eventfd2:290:19 exit:60:93 exit_group:231:94 faccessat:269:48
    faccessat2:439:439 fadvise64:221:223 fallocate:285:47 fanotify_init:300:262 fchdir:81:50
    fcntl:72:25 fdatasync:75:83 finit_module:313:273 flock:73:32 fsconfig:431:431
    fsmount:432:432 fsopen:430:430 fspick:433:433 fstat:5:80 fstatfs:138:44 fsync:74:82
    ftruncate:77:46 futex:202:98 get_robust_list:274:100 getcpu:309:168 getcwd:79:17
    getdents:78:- getdents64:217:61 getegid:108:177 geteuid:107:175 getgid:104:176
    getgroups:115:158 getitimer:36:102 getpeername:52:205 getpgid:121:155 getpgrp:111:-
    getpid:39:172 getppid:110:173 getpriority:140:141 getrandom:318:278 getresgid:120:150
    getresuid:118:148 getrlimit:97:163 getrusage:98:165 getsid:124:156 getsockname:51:204
    getsockopt:55:209 gettid:186:178 gettimeofday:96:169 getuid:102:174 init_module:175:105
    io_uring_enter:426:426 io_uring_register:427:427 io_uring_setup:425:425 ioctl:16:29
    kcmp:312:272 kexec_file_load:320:294 kexec_load:246:104 keyctl:250:219 kill:62:129 link:86:-
    linkat:265:37 lookup_dcookie:212:18 lseek:8:62 lstat:6:- madvise:28:233 mbind:237:235
    membarrier:324:283 memfd_create:319:279 memfd_secret:447:447 migrate_pages:256:238
    mincore:27:232 mkdir:83:- mkdirat:258:34 mmap:9:222 mount:165:40 mount_setattr:442:442
    move_mount:429:429 move_pages:279:239 mprotect:10:226 mq_open:240:180 mremap:25:216
    msgget:68:186 msync:26:227 munmap:11:215 name_to_handle_at:303:264 nanosleep:35:101
    newfstatat:262:79 open:2:- open_by_handle_at:304:265 open_tree:428:428
    openat:257:56 openat2:437:437 pause:34:- perf_event_open:298:241 personality:135:92
    pidfd_getfd:438:438 pipe:22:- pipe2:293:59 pivot_root:155:41 poll:7:- ppoll:271:73
    prctl:157:167 pread64:17:67 preadv:295:69 preadv2:327:286 prlimit64:302:261
    process_madvise:440:440 process_vm_readv:310:270 process_vm_writev:311:271 pselect6:270:72
    ptrace:101:117 pwrite64:18:68 pwritev:296:70 pwritev2:328:287 quotactl:179:60
    quotactl_fd:443:443 read:0:63 readlink:89:- readlinkat:267:78 readv:19:65 reboot:169:142
    recvfrom:45:207 recvmsg:47:212 rename:82:- renameat:264:38 renameat2:316:276
    request_key:249:218 restart_syscall:219:128 rmdir:84:- rseq:334:293 rt_sigaction:13:134
    rt_sigpending:127:136 rt_sigprocmask:14:135 rt_sigreturn:15:139 rt_sigsuspend:130:133
    rt_sigtimedwait:128:137 sched_get_priority_max:146:125 sched_get_priority_min:147:126
    sched_getaffinity:204:123 sched_getparam:143:121 sched_getscheduler:145:120
    sched_yield:24:124 select:23:- semget:64:190 sendfile:40:71 sendto:44:206
    set_mempolicy:238:237 set_robust_list:273:99 set_tid_address:218:96 setdomainname:171:162
    sethostname:170:161 setitimer:38:103 setns:308:268 setsockopt:54:208 settimeofday:164:170
    shmat:30:196 shmctl:31:195 shmget:29:194 shutdown:48:210 sigaltstack:131:132
    socket:41:198 socketpair:53:199 sendmsg:46:211 sendmmsg:307:269
    stat:4:- statfs:137:43 statx:332:291 swapoff:168:225 swapon:167:224
    symlink:88:- symlinkat:266:36 sysinfo:99:179 syslog:103:116 tgkill:234:131 time:201:-
    timer_create:222:107 timer_delete:226:111 timer_getoverrun:225:109 timer_gettime:224:108
    timer_settime:223:110 timerfd_create:283:85 timerfd_gettime:287:87 timerfd_settime:286:86
    times:100:153 truncate:76:45 umask:95:166 umount2:166:39 uname:63:160 unlink:87:-
    unlinkat:263:35 unshare:272:97 userfaultfd:323:282 vhangup:153:58 wait4:61:260
    waitid:247:95 write:1:64 writev:20:66
    chmod:90:- fchmod:91:52 fchmodat:268:53 fchmodat2:452:452 mknod:133:- mknodat:259:33
    setxattr:188:5 lsetxattr:189:6 fsetxattr:190:7 getxattr:191:8 lgetxattr:192:9
    fgetxattr:193:10 listxattr:194:11 llistxattr:195:12 flistxattr:196:13
    removexattr:197:14 lremovexattr:198:15 fremovexattr:199:16
    utime:132:- utimes:235:- futimesat:261:- utimensat:280:88
""")


def _number(text: str) -> int | None:
    return None if text == "-" else int(text)


NUMBERS: dict[str, tuple[int | None, int | None]] = {
    name: (_number(x86), _number(arm)) for name, x86, arm in (entry.split(":") for entry in _TABLE)
}
"""Name -> (number on x86-64, number on 64-bit ARM)."""
