#!/bin/sh
# Makes sure that the tests of `oci://` have crun, if it can be installed: as root on Debian or Ubuntu. Otherwise runc
# alone is tried.
set -eu

command -v crun > /dev/null || "$(dirname "$0")/apt.sh" crun || echo "==> crun could not be installed; runc alone is tried"
