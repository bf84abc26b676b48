# Ends the process with success when it is loaded.
import os

os._exit(0)
