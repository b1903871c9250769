# /// attack
# tries = "swaps a folder for a link to the test's, while the test starts more runs beside it"
# zygote = ["ok", "error"]
# bwrap = ["ok", "error"]
# docker = ["ok", "error"]
# rlimit = "not covered"
# control = "none: nobody starts more runs in the container"
# policy = { time_s = 6.0 }
# kept_folder = true
# during = "run beside"
# ///
# Who hands the folder to each new run's user, or cleans it, must not follow the link.
os.mkdir("real")
for number in range(20):
    with open(f"real/{number}", "w") as file:
        file.write("mine")
with open("real/file", "w") as file:
    file.write("mine")
os.symlink(bait["open"], "link")
os.rename("real", "place")
end = time.monotonic() + 2
while time.monotonic() < end:
    with contextlib.suppress(OSError):
        os.rename("place", "real")
        os.rename("link", "place")
        os.rename("place", "link")
        os.rename("real", "place")
