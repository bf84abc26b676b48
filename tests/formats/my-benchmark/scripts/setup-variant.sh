#!/bin/bash
set -eu
echo "$1" > variant.txt
