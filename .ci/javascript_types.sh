#!/bin/sh
# Checks the types of JavaScript and TypeScript: javascript_types.sh VENV
# The compiler is kept in VENV.
set -eu

place=$1/typescript
packages="typescript@7.0.2 @types/node@24.10.1 @types/bun@1.3.3"
echo "==> tsc"
if [ "$(cat "$place/packages" 2> /dev/null)" != "$packages" ]; then
    command -v npm > /dev/null || "$(dirname "$0")/apt.sh" nodejs npm || {
        echo "There is no npm. Install Node.js with it (Debian: apt-get install nodejs npm)." >&2
        exit 4
    }
    # shellcheck disable=SC2086 # a list
    npm install --silent --no-audit --no-fund --prefix "$place" $packages
    echo "$packages" > "$place/packages"
fi
"$1/bin/python" "$(dirname "$0")/javascript_types.py" "$place/node_modules/.bin/tsc"
