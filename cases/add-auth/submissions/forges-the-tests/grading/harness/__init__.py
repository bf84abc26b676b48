"""A package is found before a module of the same name: would-be replacement of what the hidden tests import."""

import os

os._exit(0)
