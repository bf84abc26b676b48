import sys

if sys.argv[1] == "write":
    open("ok.txt", "w").write("ok")
print("", flush=True)
print("and a line more")
