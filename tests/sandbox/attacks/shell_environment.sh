# /// attack
# tries = "finds a variable of the test's environment"
# zygote = "not covered: runs no shells"
# bwrap = ["ok"]
# docker = "not covered: the attack is written for bash, which an image need not have"
# rlimit = "not covered"
# control = "breach"
# ///
if env | grep -q "$bait_variable"; then echo "BREACH the variable is in the environment"; fi
for file in /proc/[0-9]*/environ; do
    if grep -qs "$bait_variable" "$file"; then echo "BREACH the variable is in $file"; fi
done
true
