#!/bin/sh
# Makes sure that there is a Chromium for the tests of the HTML report; installs one only as root on Debian.
#
# A Chrome or Chromium that is there already is used as it is, and GRADEBOX_CHROMIUM names one that has another name.
# Without any, this fails: tests that nobody notices to be left out test nothing.
set -eu

here=$(dirname "$0")

is_there() {
    for name in ${GRADEBOX_CHROMIUM:-chromium chromium-browser google-chrome-stable google-chrome}; do
        if command -v "$name" > /dev/null; then
            return
        fi
    done
    return 1
}

if is_there; then
    exit 0
fi
if [ -z "${GRADEBOX_CHROMIUM:-}" ]; then
    # Without a font, a page has no text that could be seen.
    "$here/apt.sh" chromium fonts-dejavu-core || true
fi
if ! is_there; then
    echo "There is no Chromium for the tests of the HTML report, and none can be installed here (that needs root on Debian)." >&2
    echo "Install Chromium or Chrome, name its program in GRADEBOX_CHROMIUM, or leave these tests out:" >&2
    echo "make test T='--ignore tests/browser'" >&2
    exit 4
fi
