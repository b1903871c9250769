# /// attack
# tries = "writes into the test's folder, the home folder and the system's"
# zygote = "not covered: runs no shells"
# bwrap = ["ok"]
# docker = "not covered: the attack is written for bash, which an image need not have"
# rlimit = "not covered"
# control = "breach"
# ///
for folder in "$bait_open" "${bait_home%/*}" /tmp /var/tmp /dev/shm /etc /usr /usr/bin /usr/local; do
    (echo written >"$folder/$bait_token") 2>/dev/null
done
if (echo more >>"$bait_file") 2>/dev/null; then echo "BREACH wrote to a file of the test"; fi
for folder in /etc /usr /bin /usr/lib; do
    if [ -w "$folder" ]; then echo "BREACH may write to $folder"; fi
done
true
