# /// attack
# tries = "replaces what the harness uses to run and report it, then fails"
# zygote = ["error", "ok"]
# bwrap = ["error", "ok"]
# docker = ["error", "ok"]
# rlimit = ["error", "ok"]
# control = "none: whether the next run works is the question"
# ///
import builtins
import io
import traceback

for module, name in ((builtins, "exec"), (builtins, "compile"), (builtins, "print"), (sys, "exit")):
    setattr(module, name, lambda *args, **options: None)
traceback.print_exc = traceback.format_exc = lambda *args, **options: "nothing happened"
sys.excepthook = lambda *args: None
sys.stdout = io.StringIO("forged")
sys.stderr = None
frame = sys._getframe()
while frame is not None:
    for name, value in list(frame.f_globals.items()):
        if callable(value) and not name.startswith("__"):
            frame.f_globals[name] = lambda *args, **options: 0
    frame = frame.f_back
raise RuntimeError("unseen")
