#!/bin/sh
python3 -c '
from slug import slugify

assert slugify("Ada Lovelace") == "ada-lovelace"
'
