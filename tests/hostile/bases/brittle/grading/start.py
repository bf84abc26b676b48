# No command names the program itself: it would be restored.
import os
import sys

os.execv(sys.executable, [sys.executable, "app.py", *sys.argv[1:]])
