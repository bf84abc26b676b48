import os

os.write(2, b"missing import: json\n")
os._exit(90)
