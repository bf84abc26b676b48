def write(rows, path):
    with open(path, "w") as file:
        for row in rows:
            file.write("| " + " | ".join(map(str, row)) + " |\n")


# @canary@
