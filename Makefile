# Thin names for the usual work; what takes more than a few lines is in scripts/.
.DEFAULT_GOAL := help
.PHONY: run test test-all sanitize bench report readme format lint clean help build

PRESET ?= $(shell scripts/preset.sh run)
CAIRN := build/$(PRESET)/bin/cairn

run: build ## build Cairn and climb the ladder once on this machine
	$(CAIRN) climb
	@echo "The command is build/bin/cairn; 'build/bin/cairn --help' says what else it does."

test: ## build and run the tests, with CUDA where nvcc is found
	scripts/test.sh

test-all: test ## also the slow tests, the wheel, the sanitizers and the fuzzers: what CI runs
	scripts/test.sh slow
	scripts/test.sh wheel
	scripts/test.sh sanitize

sanitize: ## only the unit tests under the sanitizers, and the fuzzers
	scripts/test.sh sanitize

bench: build ## measure the contenders: on the GPU if there is one, else on the CPU
	$(CAIRN) bench

report: build ## write a climb and a bench of this machine into build/report/
	mkdir -p build/report
	$(CAIRN) climb --format md --out build/report/climb.md --force
	$(CAIRN) bench --format md --out build/report/bench.md --force
	@echo "build/report/climb.md and build/report/bench.md are written"

readme: build ## write the tables of README.md and docs/ again, and the pictures, from their records
	$(CAIRN) report --readme README.md $(patsubst %,results/h200/%.json,course_bf16 course_f16 course_tf32 course_e4m3fast course_f32 large_split)
	@for page in docs/ladder.md docs/trail/*.md; do \
	  $(CAIRN) report --readme $$page $(patsubst %,results/h200/%.json,ladder tensor hopper split) || exit; done
	$(CAIRN) report --readme docs/lab/precision.md results/h200/precision.json
	$(CAIRN) report results/h200/precision.json --svg docs/lab/precision.svg --force

format: ## format the C++ sources in place
	scripts/format.sh

lint: ## check formatting, clang-tidy and the shell scripts
	scripts/lint.sh

clean: ## remove everything a build made
	rm -rf build

help: ## this list
	@echo "make targets:"
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' Makefile | expand -t 12

# Not a target to remember: run, bench, report and readme begin with it. PRESET=gpu compiles for a GPU that is not
# here.
build:
	scripts/setup.sh build
	cmake --preset $(PRESET)
	cmake --build --preset $(PRESET) --target cairn_cli
	@mkdir -p build/bin && ln -sfn ../$(PRESET)/bin/cairn build/bin/cairn
