#!/bin/bash
LC_ALL=C sort -u /app/notes/shopping.txt > /app/sorted.txt
wc -l < /app/sorted.txt > /app/count.txt
