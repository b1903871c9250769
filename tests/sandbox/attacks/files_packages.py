# /// attack
# tries = "reads an installed package that is not the program's business, such as one with answers"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "none: bait lies among the packages only where the user owns that folder"
# ///
import importlib

name = os.path.basename(bait["package"] or "gem_gymnasium.py").removesuffix(".py")
for package in (name, "gem_gymnasium", "gem_trl"):
    with contextlib.suppress(Exception):
        breach(f"imported {importlib.import_module(package)}")
if bait["package"]:
    attempt("opened a package", open, bait["package"], "rb")
    for folder in sys.path:
        path = os.path.join(folder, os.path.basename(bait["package"]))
        attempt("opened a package by sys.path", open, path, "rb")
