#!/bin/bash
# Tries the images of docs/examples against a real engine: examples.sh [socket] [nested]; both without a word.
#
#   socket   gradebox in a container grades what lies only in that container, through the mounted socket
#   nested   gradebox grades on an engine inside its own container; makes the sandbox images there, which takes minutes
#
# Nothing is pulled: the base is an image of ours that has Python. The nested engine has a network of its own, since it
# would take this machine's bridge and firewall for its own. What was made is removed.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
base=${BASE:-gradebox/python}
socket=${GRADEBOX_DOCKER_SOCKET:-/var/run/docker.sock}
scratch=$(mktemp -d)
image=gradebox-example:$$
nested=gradebox-example-nested:$$

clean_up() {
    docker rm -f "gradebox-example-$$" > /dev/null 2>&1 || true
    docker volume rm "gradebox-example-$$" > /dev/null 2>&1 || true
    docker rmi -f "$nested" "$image" > /dev/null 2>&1 || true
    rm -rf "$scratch"
}
trap clean_up EXIT

# A case and its submission that are nowhere but in the container; the second one fails.
IFS= read -r -d '' trial << 'END' || true
set -eu
mkdir -p /tmp/only/right /tmp/only/wrong
cd /tmp/only
cat > case.yaml << 'CASE'
image: gradebox/python
assertions:
  - {type: code-grader, command: [python3, -c, "import answer; assert answer.x == 1"]}
CASE
echo 'x = 1' > right/answer.py
echo 'x = 2' > wrong/answer.py
grade --case case.yaml --submission right --report junit=junit.xml
python3 -c 'import xml.etree.ElementTree as E; assert E.parse("junit.xml").getroot().get("failures") == "0"'
code=0
grade --case case.yaml --submission wrong || code=$?
[ "$code" -eq 1 ]
END

# Only what .dockerignore would let through, with the certificates that this machine trusts.
tar --exclude=__pycache__ -c sandbox graders images .ci docs/examples pyproject.toml README.md LICENSE |
    tar -x -C "$scratch"
if [ -s "${SSL_CERT_FILE:-}" ]; then
    cp "$SSL_CERT_FILE" "$scratch/authorities.pem"
fi

build() {
    echo "==> building $2"
    docker build --quiet --network host --build-arg BASE="$3" -f "docs/examples/$1" -t "$2" "$scratch"
}

build Dockerfile "$image" "$base"
words=${*:-socket nested}

if [[ " $words " == *" socket "* ]]; then
    echo "==> grading through the mounted socket, as a user without rights"
    docker run --rm --name "gradebox-example-$$" -v "$socket:/var/run/docker.sock" \
        --group-add "$(stat -c %g "$socket")" --entrypoint sh "$image" -c "$trial"
fi

if [[ " $words " == *" nested "* ]]; then
    build Dockerfile.nested "$nested" "$image"
    privileges=(--privileged)
    if ! docker run --rm --privileged --user 0 --entrypoint true "$image" 2> "$scratch/refusal"; then
        # An engine that lacks a capability itself cannot give all of them.
        echo "==> no --privileged here ($(grep -m 1 -o "unable.*" "$scratch/refusal" || true)): taking what it is made of without SYS_RESOURCE"
        privileges=(
            --cap-add ALL --cap-drop SYS_RESOURCE --security-opt seccomp=unconfined --security-opt apparmor=unconfined
            --security-opt systempaths=unconfined -v /sys/fs/cgroup:/sys/fs/cgroup:rw
        )
    fi
    if [ -s "$scratch/authorities.pem" ]; then
        privileges+=(-v "$scratch/authorities.pem:/authorities.pem:ro" -e SSL_CERT_FILE=/authorities.pem)
    fi
    echo "==> grading on a nested engine"
    docker run --rm --name "gradebox-example-$$" "${privileges[@]}" -v "gradebox-example-$$:/var/lib/docker" \
        --entrypoint sh "$nested" -c "/opt/gradebox/engine/nested.sh images build base python && $trial"
fi
echo "==> done"
