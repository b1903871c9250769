# /// attack
# tries = "reads the test's secrets, root's files and the home folder"
# zygote = "not covered: runs no shells"
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
for path in "$bait_secret" "$bait_public" "$bait_home" "/proc/self/root$bait_public"; do
    if (exec <"$path") 2>/dev/null; then echo "BREACH opened $path"; fi
done
if [ "$(cd / && ls -d "$bait_folder" 2>/dev/null)" ]; then echo "BREACH sees the test's folder"; fi
