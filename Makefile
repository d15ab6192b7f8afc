# Needs Python 3.11 or newer and make; everything else is installed into .venv.
PYTHON ?= python3
BIN := .venv/bin
PY := $(BIN)/python
STAMP := .venv/.stamp
export OMP_NUM_THREADS ?= 1
unexport PYTHONDONTWRITEBYTECODE  # hundreds of processes would each compile surefoot again

# Each process is given whole files, which share fixtures, in the order of tests/kinds.py: long ones are not left to the end.
PYTEST := $(PY) -m pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder

.DEFAULT_GOAL := help
.PHONY: site help demo test quick check types style docs figures format bench bench-programs bench-bugs bench-conformance bench-loop bench-elastic bench-log bench-dash bench-signals prove-log prove-peers prove-places fuzz release bench-setup screenshots new-rule constraints clean bench-reported prove-door bench-check bench-fix bench-verdict bench-verify bench-assistant bench-sync bench-integrations

help:
	@echo 'make demo       train a model on real data, then watch surefoot catch a bug'
	@echo 'make test       all checks and all tests'
	@echo 'make quick      the tests that need no browser, ranks, kills, corpus or many processes: for while you work'
	@echo 'make check      linters, types, layers, generated documentation'
	@echo 'make docs       write docs/rules from the rules, the figures of docs/guide, and what the page knows of the lab'
	@echo 'make figures    draw the figures of docs/guide, from real runs'
	@echo 'make site       build the documentation as a searchable site in build/site'
	@echo 'make release    build wheel and sdist, check them, and try the wheel in a clean environment'
	@echo 'make bench      what surefoot costs, and what it finds beside other tools'
	@echo 'make bench-programs      what surefoot run costs whole training programs; ARGS=--help tells more'
	@echo 'make bench-reported      what surefoot finds of the bugs that people reported'
	@echo 'make bench-fix           how many bugs surefoot fix mends, and whether they train like their clean twins then'
	@echo 'make bench-assistant     what an assistant can do with the answers of surefoot mcp alone'
	@echo 'make bench-integrations    each callback for a training framework, in a small program with the real package'
	@echo 'make bench-conformance   is the loop right? surefoot beside the training loops people use'
	@echo 'make bench-loop          what the loop costs, beside the same'
	@echo 'make bench-log           what the run log costs and loses, beside other trackers'
	@echo 'make bench-dash          how fast the dashboard starts and shows charts, beside others'
	@echo 'make bench-sync          runs of many machines at one address, cut and opened'
	@echo 'make bench-signals       what signals cost; healthy runs on which their rules are silent'
	@echo 'make bench-check         surefoot check on clean programs, and on the same with 46 defects'
	@echo 'make bench-verdict       how often what is said about the end of a loss is right, on trainings that went on'
	@echo 'make bench-verify        surefoot verify on pairs of runs, with and without defects of distributed training'
	@echo 'make prove-log           kill its writers at 500 random moments, damage its files 2,000 times, write a million steps'
	@echo 'make prove-peers         the same kills and damages for TensorBoard, wandb, MLflow, Aim and SQLite alone'
	@echo 'make prove-places        log to file systems that are full, slow, or on another machine; needs root and sshfs'
	@echo 'make fuzz                a fuzzer over the readers of our files, for half an hour'
	@echo 'make prove-door          attack SQL and the dashboard: statements, fuzzed requests, connections'
	@echo 'make new-rule NAME=stale-gradients FAMILY=grad    start a rule'

# pip older than 25.1 does not know dependency groups.
$(STAMP): pyproject.toml constraints.txt package-lock.json
	test -x $(PY) || $(PYTHON) -m venv .venv
	$(PY) -m pip install --quiet 'pip>=25.1'
	$(PY) -m pip install --quiet --constraint constraints.txt --group dev --editable .
	touch $(STAMP)

demo: $(STAMP)
	@echo '--- A small network learns handwritten digits, watched: nothing to say about it.'
	$(BIN)/surefoot run examples/digits.py
	@echo
	@echo '--- The same script with two lines in the wrong order. It runs, it prints numbers, it does not learn.'
	$(BIN)/surefoot run --fail-on never examples/digits_with_a_bug.py
	@echo
	@echo '--- Every run is logged: show, query and compare them, or judge them again (replay).'
	$(BIN)/surefoot runs
	@echo
	@echo '--- To look at them in the browser, at http://127.0.0.1:6180:  $(BIN)/surefoot dash'

test: check
	$(PY) tools/browser.py
	$(PY) -m coverage erase
	$(PYTEST) -m 'quick or process' --cov --cov-report= --durations=12
	$(PYTEST) -m 'not (quick or process)' --durations=12

quick: $(STAMP)
	$(PYTEST) -m quick

# mypy takes longer than all others together.
check: $(STAMP)
	$(MAKE) --jobs 2 types style

types: $(STAMP)
	$(BIN)/mypy

style: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache
	$(PY) -m pytest --quiet --no-header tests/tools/test_cycles.py
	$(PY) tools/rule_pages.py --check

docs: $(STAMP) figures
	$(PY) tools/rule_pages.py
	$(PY) tools/lab_page.py

# Of the guides, from real runs.
figures: $(STAMP)
	$(PY) -m tools.figures

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: bench-programs bench-bugs

# The peers live in an environment of their own: they are compared with, never depended on. Some programs run on them.
bench-programs: $(STAMP) bench-setup
	$(PY) -m benchmarks.programs $(ARGS)

bench-bugs: $(STAMP) bench-setup
	$(PY) -m benchmarks.bugs

bench-reported: $(STAMP) bench-setup
	$(PY) -m benchmarks.bugs --reported

bench-fix: $(STAMP)
	$(PY) -m benchmarks.fix $(ARGS)

bench-assistant: $(STAMP)
	$(PY) -m benchmarks.assistant $(ARGS)

bench-integrations: bench-setup
	.venv-bench/bin/python -m pip install --quiet --constraint constraints.txt duckdb libcst starlette uvicorn anyio
	PYTHONPATH=src:. .venv-bench/bin/python -m benchmarks.integrations $(ARGS)

bench-conformance: bench-setup
	PYTHONPATH=src .venv-bench/bin/python -m benchmarks.conformance
	PYTHONPATH=src .venv-bench/bin/python -m benchmarks.conformance.further

bench-loop: bench-setup
	PYTHONPATH=src .venv-bench/bin/python -m benchmarks.loop

bench-elastic: $(STAMP)
	PYTHONPATH=src:. $(PY) -m benchmarks.elastic $(ARGS)

bench-signals: $(STAMP) .venv-bench-log/.stamp
	$(PY) -m benchmarks.signals.healthy
	$(PY) -m benchmarks.signals

bench-verdict: $(STAMP)
	PYTHONPATH=src:. $(PY) -m benchmarks.verdict $(ARGS)

bench-check: $(STAMP)
	PYTHONPATH=src:. $(PY) -m benchmarks.check $(ARGS)

bench-verify: $(STAMP)
	PYTHONPATH=src:. $(PY) -m benchmarks.verify --page docs/verify-corpus.md

prove-log: $(STAMP)
	$(PY) -W ignore -m benchmarks.log.prove $(ARGS)

prove-peers: .venv-bench-log/.stamp
	PYTHONPATH=src:. .venv-bench-log/bin/python -W ignore -m benchmarks.log.peers $(ARGS)

prove-places: $(STAMP)
	$(PY) -W ignore -m benchmarks.log.places $(ARGS)

fuzz: .venv-fuzz/.stamp
	PYTHONPATH=src:. .venv-fuzz/bin/python -m benchmarks.fuzz $(ARGS)

.venv-fuzz/.stamp: constraints.txt
	test -x .venv-fuzz/bin/python || $(PYTHON) -m venv .venv-fuzz
	.venv-fuzz/bin/python -m pip install --quiet --constraint constraints.txt atheris numpy duckdb starlette
	touch $@

prove-door: $(STAMP)
	$(PY) -m benchmarks.door.prove

# Trackers ask for versions that other peers do not get along with, so that they have an environment of their own.
bench-log: .venv-bench-log/.stamp
	PYTHONPATH=src .venv-bench-log/bin/python -m benchmarks.log

# Object storage needs an S3 server, and a client of it.
bench-sync: .venv-bench-sync/.stamp
	PYTHONPATH=src:. .venv-bench-sync/bin/python -W ignore -m benchmarks.sync $(ARGS)

.venv-bench-sync/.stamp: constraints.txt
	test -x .venv-bench-sync/bin/python || $(PYTHON) -m venv .venv-bench-sync
	.venv-bench-sync/bin/python -m pip install --quiet --constraint constraints.txt duckdb numpy rich playwright torch
	.venv-bench-sync/bin/python -m pip install --quiet 'moto[server,s3]' s3fs
	touch $@

bench-dash: $(STAMP) .venv-bench-log/.stamp
	$(PY) -m benchmarks.dash

.venv-bench-log/.stamp: benchmarks/log/requirements.txt constraints.txt
	test -x .venv-bench-log/bin/python || $(PYTHON) -m venv .venv-bench-log
	.venv-bench-log/bin/python -m pip install --quiet --constraint constraints.txt torch
	.venv-bench-log/bin/python -m pip install --quiet duckdb numpy rich -r benchmarks/log/requirements.txt
	touch $@

bench-setup: .venv-bench/.stamp

.venv-bench/.stamp: benchmarks/requirements.txt constraints.txt
	test -x .venv-bench/bin/python || $(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --constraint constraints.txt torch numpy rich
	xargs -n 1 .venv-bench/bin/python -m pip install --quiet --constraint constraints.txt < benchmarks/requirements.txt
	.venv-bench/bin/python -m pip uninstall --quiet --yes torchvision  # fastai asks for it; it may not fit this torch
	touch $@

# The documentation as a site that loads nothing from other hosts. Dead links and anchors fail.
site: $(STAMP)
	$(PY) -m pip install --quiet --constraint constraints.txt --group site
	NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict --quiet
	@echo 'The site is in build/site: open build/site/index.html, or serve it to search: $(PY) -m http.server --directory build/site'

# Wheel and sdist, checked; then the wheel is installed in a clean environment, where Node is not needed.
release: $(STAMP)
	rm -rf dist build/release
	$(PY) -m pip install --quiet --constraint constraints.txt build twine
	$(PY) -m build --outdir dist .
	$(PY) -m twine check --strict dist/*
	$(PYTHON) -m venv build/release
	build/release/bin/python -m pip install --quiet --constraint constraints.txt dist/*.whl
	build/release/bin/python tools/try_release.py

# The pictures of README and docs.
screenshots: $(STAMP)
	$(PY) tools/browser.py
	$(PY) tools/screenshots.py

new-rule: $(STAMP)
	$(PY) tools/new_rule.py $(FAMILY) $(NAME)

# Upgrade everything but torch, which is pinned by hand.
constraints:
	@echo 'Install what you want to pin into .venv, then run:'
	@echo '  $(PY) -m pip freeze --exclude-editable > constraints.txt'

clean:
	rm -rf node_modules src/surefoot/dashboard/page/vendor
	rm -rf .venv .venv-bench .venv-bench-log .venv-bench-sync .venv-fuzz .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .coverage .coverage.*
