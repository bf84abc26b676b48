import sys

if sys.argv[1] == "write":
    open("ok.txt", "w").write("ok")
print('{"score": 1}', flush=True)
