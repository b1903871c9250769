# /// attack
# tries = "writes bytes that are no text: broken UTF-8, NUL, terminal codes"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = ["ok"]
# control = "none: harms nobody"
# output = 'end$'
# ///
os.write(1, bytes(range(256)) + b"\xed\xa0\x80\xf4\x90\x80\x80\0\x1b]0;title\x07end")
