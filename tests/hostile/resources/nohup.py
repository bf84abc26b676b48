"""Jobs of a shell in sessions of their own, that ignore SIGHUP and SIGTERM and hold neither of the two streams."""

import subprocess

from attacker import look_around, over

look_around("/tmp/nohup")
job = 'trap "" HUP TERM INT; while :; do echo here >> /tmp/nohup; sleep 0.05; done'
start = f"for n in 1 2 3 4; do setsid nohup sh -c '{job}' < /dev/null > /dev/null 2>&1 & done"
subprocess.run(["sh", "-c", f"{start}; until [ -s /tmp/nohup ]; do sleep 0.05; done"], check=True)
over(0)
