import sys

if sys.argv[1] == "write":
    open("ok.txt", "w").write("ok")
    sys.exit(1)
print("wrong")
