# /// attack
# tries = "reads the test's secrets, root's files and the home folder"
# zygote = "not covered: runs no shells"
# bwrap = ["ok"]
# docker = "not covered: the attack is written for bash, which an image need not have"
# rlimit = "not covered"
# control = "breach"
# ///
for path in "$bait_secret" "$bait_public" "$bait_home" "/proc/self/root$bait_public"; do
    if (exec <"$path") 2>/dev/null; then echo "BREACH opened $path"; fi
done
if [ "$(cd / && ls -d "$bait_folder" 2>/dev/null)" ]; then echo "BREACH sees the test's folder"; fi
