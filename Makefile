# Everything a developer runs. `make help` lists it.

BROKERS ?=
STATE   ?= run/state
DATA    ?= run/data
FLAGS   ?=
CHAOS   ?= 1m
SIM     ?= 200
PAGE    ?= docs/reliability.md
GO      := CGO_ENABLED=0 go
# The program is compiled one way, by its profile whatever GOFLAGS says of it.
COMPILED = -pgo=auto -trimpath
WINDOWED = $(GO) run $(COMPILED) ./cmd/windowed
# What the tests have seen goes into a file and into a page.
FIGURES  = mkdir -p run && rm -f run/figures.txt
REPORT   = WINDOWED_FIGURES=$(CURDIR)/run/figures.txt WINDOWED_PAGE=$(if $(PAGE),$(CURDIR)/$(PAGE))
# Commands act on $(BROKERS), or on the embedded broker that `make run` has running.
TARGET   = $(if $(BROKERS),--brokers=$(BROKERS),--data-dir=$(DATA))

.PHONY: help build run seed-orders restore topic-create-all topic-delete-all top windows \
	test test-full test-race test-kafka sim mutants chaos lint alerts fuzz \
	bench bench-full bench-check bench-go profile clean

help: ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 20

build: ## bin/windowed
	$(GO) build $(COMPILED) -o bin/windowed ./cmd/windowed

run: ## count: on the embedded broker with sample orders, or on BROKERS=host:port
	$(WINDOWED) $(TARGET) --state=$(STATE) $(if $(BROKERS),,--seed) $(FLAGS)

seed-orders: ## send sample orders, one a second, until interrupted
	$(WINDOWED) seed $(TARGET) $(FLAGS)

top: ## ask the running program for the top of all time
	$(WINDOWED) top --state=$(STATE) $(FLAGS)

windows: ## ask the running program for its windows
	$(WINDOWED) windows --state=$(STATE) $(FLAGS)

restore: ## bring the state directory up to the end of the changelog
	$(WINDOWED) restore $(TARGET) --state=$(STATE) $(FLAGS)

topic-create-all: ## make the topics
	$(WINDOWED) topics create $(TARGET) $(FLAGS)

topic-delete-all: ## delete the topics, with all orders and counts
	$(WINDOWED) topics delete --yes $(TARGET) $(FLAGS)

test: ## all tests, under three minutes
	go test ./...

test-full: ## the whole matrices: all data files, 60 kill -9 rounds, 2,000 seeds of the model, several instances
	WINDOWED_FULL=1 WINDOWED_SEEDS=2000 go test -count=1 -timeout=60m ./...

test-race: ## the concurrent packages under the race detector
	go test -race ./state ./internal/engine ./internal/kafka ./internal/api ./internal/wire

# The targets below put their figures into $(PAGE); PAGE= leaves it alone.
test-kafka: ## the tests on a real Apache Kafka, and what they have seen (needs Java and Maven once)
	KAFKA_REAL=1 go test -count=1 -timeout=20m ./internal/realkafka/...
	@$(FIGURES)
	KAFKA_REAL=1 $(REPORT) go test -count=1 -timeout=20m -run='^Test(Kafka|Takeover|Restart|Rolling)' ./internal/e2e
	@cat run/figures.txt

sim: ## SIM=200 seeds of the whole program, mostly in virtual time, with brokers, networks, disks and clocks that fail
	@$(FIGURES)
	WINDOWED_SIM=$(SIM) $(REPORT) go test -count=1 -timeout=30m -run='^TestSimulation' ./internal/e2e
	@cat run/figures.txt

mutants: ## plant every fault: the tests must notice each of them
	@$(FIGURES)
	go test -tags=planted -count=1 ./internal/fault
	$(REPORT) go test -tags=planted -count=1 -timeout=30m -run=TestMutants ./internal/mutants
	@cat run/figures.txt

chaos: ## kill at every failpoint, cut the network, fill the disk, for CHAOS=1m
	@$(FIGURES)
	WINDOWED_CHAOS=$(CHAOS) $(REPORT) go test -count=1 -timeout=24h -run='^Test(Chaos|Damage)$$' ./internal/e2e
	@cat run/figures.txt

# Without the profile: with it all dependencies would be compiled once more.
lint: export GOFLAGS = -pgo=off
lint: ## gofmt, go vet, staticcheck
	@test -z "$$(gofmt -l .)" || { gofmt -l .; exit 1; }
	go vet ./...
	go vet -tags=planted ./...
	go tool staticcheck ./...

alerts: ## test the alert rules (needs promtool)
	cd deploy/prometheus && promtool check rules rules.yaml && promtool test rules rules_test.yaml

fuzz: ## a minute on every fuzz target
	go test ./internal/event -fuzz=FuzzDecode -fuzztime=1m
	go test ./internal/event -fuzz=FuzzFastEqualsStrict -fuzztime=1m
	go test ./internal/event -fuzz=FuzzMappedEqualsStrict -fuzztime=1m
	go test ./internal/avro -fuzz=FuzzEqualsLibrary -fuzztime=1m
	go test ./internal/protobuf -fuzz=FuzzEqualsLibrary -fuzztime=1m
	go test ./internal/wire -fuzz=FuzzHeader -fuzztime=1m
	go test ./internal/kafka -fuzz=FuzzChunk -fuzztime=1m
	go test ./window -fuzz=FuzzParseKey -fuzztime=1m
	go test ./state -fuzz=FuzzDecodeChange -fuzztime=1m

BENCH = $(GO) build -trimpath -o bin/bench ./bench && bin/bench

bench: build ## windowed beside Kafka Streams, Flink, DuckDB and the limits, on a real Kafka; short, five minutes
	$(BENCH) --rounds=1 --brief=0s --limit=90s --orders=500000 --uniform-orders=150000 --restore-orders=300000 --restore-drinks=300 \
		--backlog=500000,1500000 --latency-for=8s --warm=15s $(FLAGS)

bench-full: build ## the same in full, 20 minutes on a quiet machine; the results go into docs/performance.md
	$(BENCH) --budget=20m --write=docs/performance.md $(FLAGS)

bench-check: build ## only whether windowed and the truth agree, on a real Kafka; seconds
	$(BENCH) --scenario=main --rounds=1 --brief=0s --limit=60s --orders=50000 --late=0.01 --only=windowed --only=limit --only=plain --warm=0s $(FLAGS)

PROFILED = --rounds=1 --brief=0s --only='windowed, exactly' --profile=run/bench/cpu.pprof

profile: build ## measure anew by which profile bin/windowed is compiled
	$(BENCH) --scenario=main --orders=16000000 $(PROFILED) $(FLAGS)
	go tool pprof -proto -output=cmd/windowed/default.pgo run/bench/cpu.pprof

bench-go: ## Go benchmarks: decode, apply, rank, and the loop on an embedded broker
	go test -run=NONE -bench=. -benchtime=1x ./internal/kafka
	go test -run=NONE -bench=. ./internal/event ./internal/avro ./internal/protobuf ./state

clean: ## what run and build left here
	rm -rf bin run
