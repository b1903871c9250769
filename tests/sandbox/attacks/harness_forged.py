# /// attack
# tries = "prints what a protocol's \"ok\" may look like, then fails"
# zygote = ["error"]
# bwrap = ["error"]
# docker = ["error"]
# rlimit = ["error"]
# control = "none: harms nobody"
# ///
for text in ('{"status": "ok"}\n', "ok\n", "\0\0\0\0", "exit status 0\n", "R", "\xff" * 8):
    for number in (1, 2):
        os.write(number, text.encode("latin-1"))
raise RuntimeError("the program failed")
