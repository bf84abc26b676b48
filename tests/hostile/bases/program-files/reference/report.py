import sys

with open("table.txt", "w") as file:
    for line in sys.stdin:
        file.write("| " + " | ".join(line.split()) + " |\n")

# @canary@
