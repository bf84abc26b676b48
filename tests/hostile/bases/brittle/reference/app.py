# @canary@
import re
import sys

if sys.argv[1] == "write":
    open("ok.txt", "w").write("ok")
else:
    print("-".join(re.findall("[a-z0-9]+", sys.argv[2].lower())))
