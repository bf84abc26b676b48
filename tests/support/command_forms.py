"""Ways to write a command, and what every reader of commands must see in them: one table."""

from __future__ import annotations

from typing import NamedTuple


class Form(NamedTuple):
    """A way to write a command, and what is read of it."""

    line: str
    program: str
    file: str = ""  # The one that it runs.
    launchers: str = ""
    module: str = ""
    reads: bool = False  # Whether the file is read by an interpreter.
    image: str = "base"  # In which a case that runs it is graded.
    runner: str = ""  # The test runner that it is.


FORMS = (
    # programs of their own
    Form("./check.sh a", "./check.sh", "./check.sh"),
    Form("grading/judge", "grading/judge", "grading/judge"),
    Form("jq .output", "jq", "jq"),
    Form("pytest -q tests", "pytest", "pytest", image="python", runner="pytest"),
    # interpreters
    Form("python3 x.py a", "python3", "x.py", reads=True, image="python"),
    Form("python3.11 -I x.py", "python3.11", "x.py", reads=True),
    Form("/usr/bin/python3 -W ignore -X dev x.py", "/usr/bin/python3", "x.py", reads=True),
    Form("python3 x.py -c config -m mode", "python3", "x.py", reads=True, image="python"),
    Form("python -m json.tool x.json", "python", module="json.tool", reads=True, image="python"),
    Form("python3 -c pass x.py", "python3", reads=True, image="python"),
    Form("pypy3 x.py", "pypy3", "x.py", reads=True),
    Form("node --import tsx x.ts", "node", "x.ts", reads=True, image="node"),
    Form("node -r dotenv/config x.js --eval", "node", "x.js", reads=True, image="node"),
    Form("node -- x.js", "node", "x.js", reads=True, image="node"),
    Form("node --test tests", "node", reads=True, image="node", runner="node-test"),
    Form("node -e 1 x.js", "node", reads=True, image="node"),
    Form("bun x.ts", "bun", "x.ts", reads=True, image="bun"),
    Form("bun run ../graders/g.ts", "bun", "../graders/g.ts", reads=True, image="bun"),
    Form("bun --cwd app run g.ts", "bun", "g.ts", reads=True, image="bun"),
    Form("bun run --silent g.ts a", "bun", "g.ts", reads=True, image="bun"),
    Form("bun run check", "bun", "check", reads=True, image="bun"),
    Form("bun test x.test.ts", "bun", reads=True, image="bun", runner="bun-test"),
    Form("bun install", "bun", reads=True, image="bun"),
    Form("deno run -A x.ts", "deno", "x.ts", reads=True),
    Form("deno test x.ts", "deno", reads=True),
    Form("tsx --tsconfig t.json x.ts", "tsx", "x.ts", reads=True, image="bun"),
    Form("tsx watch x.ts", "tsx", "x.ts", reads=True, image="bun"),
    Form("ts-node -P t.json x.ts", "ts-node", "x.ts", reads=True, image="bun"),
    Form("julia --project=. -t 4 x.jl", "julia", "x.jl", reads=True, image="julia"),
    Form("julia -e 1 x.jl", "julia", reads=True, image="julia"),
    Form("ruby -I lib x.rb", "ruby", "x.rb", reads=True, image="ruby"),
    Form("perl -I lib x.pl", "perl", "x.pl", reads=True),
    Form("php x.php", "php", "x.php", reads=True, image="php"),
    Form("Rscript x.R", "Rscript", "x.R", reads=True, image="r"),
    Form("sh -e x.sh a", "sh", "x.sh", reads=True),
    Form("bash -eo pipefail x.sh", "bash", "x.sh", reads=True),
    # launchers
    Form("env A=1 B= python3 x.py", "python3", "x.py", "env", reads=True, image="python"),
    Form("env -i -u HOME A=1 ./x", "./x", "./x", "env"),
    Form("cross-env CI=1 node x.js", "node", "x.js", "cross-env", reads=True, image="node"),
    Form("timeout -k 5 60s python3 x.py", "python3", "x.py", "timeout", reads=True, image="python"),
    Form("timeout --signal=KILL 60 ./x", "./x", "./x", "timeout"),
    Form("nice -n 10 ./x", "./x", "./x", "nice"),
    Form("nice -5 ./x", "./x", "./x", "nice"),
    Form("ionice -c 3 nohup setsid ./x", "./x", "./x", "ionice nohup setsid"),
    Form("stdbuf -oL -e 0 ./x", "./x", "./x", "stdbuf"),
    Form("taskset -c 0,1 ./x", "./x", "./x", "taskset"),
    Form("flock -w 5 lock ./x", "./x", "./x", "flock"),
    Form("time -f %e ./x", "./x", "./x", "time"),
    Form("exec ./x", "./x", "./x", "exec"),
    Form("command ./x", "./x", "./x", "command"),
    Form("sudo -u nobody A=1 ./x", "./x", "./x", "sudo"),
    Form("xvfb-run -a -s '-screen 0' npm test", "npm", "npm", "xvfb-run", image="node"),
    # launchers of packages and of environments
    Form("uv run x.py", "x.py", "x.py", "uv", reads=True, image="python"),
    Form("uv run --quiet --with rich python x.py", "python", "x.py", "uv", reads=True, image="python"),
    Form("uv run --offline ./x.sh", "./x.sh", "./x.sh", "uv", image="python"),
    Form("uv run -m pkg.tool a", "python3", "", "uv", "pkg.tool", image="python"),
    Form("uv tool run --from ruff ruff check", "ruff", "ruff", "uv", image="python"),
    Form("uvx ruff check", "ruff", "ruff", "uvx"),
    Form("uv pip list", "uv", "uv", image="python"),
    Form("poetry run python x.py", "python", "x.py", "poetry", reads=True, image="python"),
    Form("pipenv run pdm run pytest", "pytest", "pytest", "pipenv pdm", image="python", runner="pytest"),
    Form("pipx run --spec ruff ruff", "ruff", "ruff", "pipx"),
    Form("npx tsx scripts/x.ts", "tsx", "scripts/x.ts", "npx", reads=True, image="bun"),
    Form("npx --yes -p typescript tsc", "tsc", "tsc", "npx", image="node"),
    Form("npm exec -- jest a", "jest", "jest", "npm", image="node", runner="jest"),
    Form("pnpm dlx tsx x.ts", "tsx", "x.ts", "pnpm", reads=True, image="bun"),
    Form("yarn exec jest", "jest", "jest", "yarn", runner="jest"),
    Form("yarn run jest", "yarn", "yarn"),
    Form("bunx --bun tsx x.ts", "tsx", "x.ts", "bunx", reads=True, image="bun"),
    Form("bun x ts-node x.ts", "ts-node", "x.ts", "bun", reads=True, image="bun"),
    Form("timeout 9 uv run bun run x.ts", "bun", "x.ts", "timeout uv", reads=True, image="bun"),
    # lines
    Form("sh -c 'python3 x.py'", "python3", "x.py", reads=True, image="python"),
    Form("timeout 5 bash -lc \"sh -c 'node a.js'\"", "node", "a.js", reads=True, image="node"),
)
