# /// attack
# tries = "leaves start-up files and programs for the next run in the same folder"
# zygote = "not covered: runs no shells"
# bwrap = ["ok"]
# docker = "not covered: the attack is written for bash, which an image need not have"
# rlimit = "not covered"
# control = "none: needs a second run"
# kept_folder = true
# afterwards = 'ls; cat /dev/null; echo 3'
# afterwards_output = '3'
# ///
for name in .bashrc .bash_profile .profile .bash_login .inputrc .bash_logout .env; do
    echo 'echo BREACH a start-up file ran' >"$name"
done
for name in ls cat echo sh bash env; do
    printf '#!/bin/sh\necho BREACH a program of the folder ran\n' >"$name"
    chmod 755 "$name" 2>/dev/null
done
mkdir -p bin .local/bin && cp ls cat bin/ && cp ls cat .local/bin/
