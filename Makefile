# Every target works in a fresh clone with Python 3.11, git and make. The second time it is quick.

SHELL := /bin/sh
MAKEFLAGS += --no-builtin-rules
# Tests start `grade` hundreds of times: compile it once.
unexport PYTHONDONTWRITEBYTECODE
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VENV := .venv
RUN := $(VENV)/.installed
DEV := $(VENV)/.installed-dev
DOCS := $(VENV)/.installed-docs
RELEASE := $(VENV)/.installed-release

# How long each fuzz target runs: make fuzz FUZZ_SECONDS=600
FUZZ_SECONDS ?= 60

# How long `make thorough` lets a lying candidate talk to graders' processes, all languages together
LIAR_SECONDS ?= 3600

# Further options of the soak test: benchmarks/soak.py --help
SOAK ?=

# The address of the repository, which a package index shows: make release URL=https://git.example.org/us/gradebox
URL ?=

# What `make ready` labels, and the registry and path before their names: make ready READY="python node" PREFIX=...
READY ?= base python node bun julia
PREFIX ?= localhost/gradebox

# What pytest runs: make unit T=tests/unit/checks/test_contains.py runs that file alone; make test T='-k verdict' selects
T ?=

# How many test files run at a time.
TEST_JOBS ?= 2
PYTEST := $(VENV)/bin/pytest -n $(TEST_JOBS) --dist loadfile

.PHONY: docs pictures manual fuzz help demo test thorough unit hostile check lint format types imports commits images bench browser crun engine engines examples gvisor programs soak ready release venv clean

help: ## show this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(RUN) engine ## grade the reference solution of cases/add-auth in a container
	@echo "==> images"
	@$(VENV)/bin/grade images build python
	@echo "==> grade --case cases/add-auth --reference"
	@$(VENV)/bin/grade --case cases/add-auth --reference

test: $(DEV) images programs gvisor crun browser ## run the whole test suite against a real Docker Engine
	@echo "==> pytest $(T)"
	@$(PYTEST) $(T)

unit: $(DEV) ## run the tests that need no engine; T=FILE runs that file alone
	@$(PYTEST) $(if $(filter tests/%,$(T)),,tests/unit) $(T)

hostile: $(DEV) images gvisor ## run all attacks under the engine's runtime, then under gVisor if it can be installed
	@echo "==> pytest tests/hostile $(T)"
	@$(VENV)/bin/pytest -m 'thorough or not thorough' tests/hostile $(T)
	@echo "==> pytest tests/hostile $(T), under gVisor"
	@GRADEBOX_HOSTILE_RUNTIME=runsc $(VENV)/bin/pytest -m 'thorough or not thorough' tests/hostile $(T)

thorough: $(DEV) images ## run the tests that `make test` leaves out because they take long
	@echo "==> pytest -m thorough $(T)"
	@LIAR_SECONDS=$(LIAR_SECONDS) $(PYTEST) -m thorough $(T)

fuzz: $(DEV) ## fuzz every reader of untrusted bytes, in parallel for FUZZ_SECONDS
	@echo "==> fuzzing, $(FUZZ_SECONDS) s"
	@$(VENV)/bin/python tests/fuzz/run.py --seconds $(FUZZ_SECONDS)

check: lint types imports commits ## run all static checks: lint, format, types, import rules, commits

lint: $(DEV) ## lint rules and formatting of every language but Julia
	@echo "==> ruff"
	@$(VENV)/bin/ruff check
	@$(VENV)/bin/ruff format --check
	@.ci/lint.sh $(VENV)/bin

format: $(DEV) ## fix what ruff can fix, and format all languages but Julia
	@$(VENV)/bin/ruff check --fix
	@$(VENV)/bin/ruff format
	@.ci/lint.sh $(VENV)/bin format

types: $(DEV) ## mypy --strict, and TypeScript's compiler for JavaScript
	@echo "==> mypy"
	@$(VENV)/bin/mypy
	@.ci/javascript_types.sh $(VENV)

imports: $(DEV) ## import-linter: which room may import which
	@echo "==> import-linter"
	@$(VENV)/bin/lint-imports

commits: ## subjects and bodies of new commits
	@echo "==> commits"
	@.ci/commits.sh

images: $(RUN) engine ## build the sandbox images that are missing or stale
	@echo "==> images"
	@$(VENV)/bin/grade images build

programs: $(RUN) engine
	@$(VENV)/bin/grade images build gcc

bench: $(DEV) images browser ## measure the cost of a command, a case, a report and a start, and cases a second
	@$(VENV)/bin/python benchmarks/start_up.py
	@$(VENV)/bin/python benchmarks/exec_latency.py
	@$(VENV)/bin/python benchmarks/case_cost.py
	@$(VENV)/bin/python benchmarks/throughput.py --turns 3 --peers
	@$(VENV)/bin/python benchmarks/report_page.py
	@$(VENV)/bin/python benchmarks/view_runs.py

docs: $(DOCS) ## build the site of docs/ into build/site; a broken link is an error
	@$(VENV)/bin/python .ci/site.py
	@echo "Read it, with search: python3 -m http.server --bind 127.0.0.1 --directory build/site"

pictures: $(DEV) images browser ## take the pictures of README and of the first page, of real runs
	@$(VENV)/bin/python .ci/pictures.py

manual: $(RUN) ## generate the man page, the command reference and the table of exit codes
	@$(VENV)/bin/python .ci/manual.py
	@PYTHONPATH=.:tests/support:tests/hostile $(VENV)/bin/python tests/hostile/matrix.py

release: $(RELEASE) ## make wheel, sources, bill of materials and digests of a tagged commit in dist/; uploads nothing
	@$(VENV)/bin/python .ci/release.py --url "$(URL)"

ready: $(RELEASE) engine ## build images, and label them for a registry with a bill of materials each; pushes nothing
	@$(VENV)/bin/grade images build $(READY)
	@$(VENV)/bin/python .ci/ready_images.py "$(PREFIX)" $(READY)

soak: $(DEV) images ## grade for a long time while things fail: make soak SOAK="--cases 200"
	@$(VENV)/bin/python benchmarks/soak.py $(SOAK)

gvisor: engine ## install gVisor for the tests that need it, or say why that is not possible
	@.ci/gvisor.sh

crun: ## install crun for the tests of oci://, or say why that is not possible
	@.ci/crun.sh

browser: ## make sure that the tests of the HTML report have a Chromium; installs one only as root on Debian
	@.ci/browser.sh

engines: $(DEV) images ## test other engines: Podman, and this machine's over TCP and ssh; installs them as root on Debian
	@.ci/engines.sh
	@echo "==> pytest tests/engines $(T)"
	@$(VENV)/bin/pytest tests/engines $(T)

examples: images ## build the images of docs/examples and grade with them, through a socket and on a nested engine
	@.ci/examples.sh

engine: ## make sure that a Docker Engine answers; installs one only as root on Debian or Ubuntu
	@.ci/engine.sh

venv: $(DEV) ## make .venv for development

clean: ## remove the virtual environment, caches and build results; not runs, images or the engine
	rm -rf $(VENV) build dist fuzz-failures .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -path ./runs -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

$(RUN): pyproject.toml
	@.ci/venv.sh $@ .

$(DEV): pyproject.toml
	@.ci/venv.sh $@ '.[dev]'

$(DOCS): pyproject.toml
	@.ci/venv.sh $@ '.[docs]'

$(RELEASE): pyproject.toml
	@.ci/venv.sh $@ '.[release]'
