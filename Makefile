# Everything a developer runs. `make help` lists it.

BROKERS ?=
STATE   ?= run/state
DATA    ?= run/data
FLAGS   ?=
CHAOS   ?= 1m
GO      := CGO_ENABLED=0 go
WINDOWED = $(GO) run ./cmd/windowed
# Commands act on $(BROKERS), or on the embedded broker that `make run` has running.
TARGET   = $(if $(BROKERS),--brokers=$(BROKERS),--data-dir=$(DATA))

.PHONY: help build run seed-orders restore topic-create-all topic-delete-all top windows \
	test test-full test-race test-kafka sim mutants chaos lint alerts fuzz bench clean

help: ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 20

build: ## bin/windowed
	$(GO) build -trimpath -o bin/windowed ./cmd/windowed

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

test-kafka: ## the tests on a real Apache Kafka, and what they have seen (needs Java and Maven once)
	@mkdir -p run && rm -f run/kafka.txt
	KAFKA_REAL=1 go test -count=1 -timeout=20m ./internal/realkafka/...
	KAFKA_REAL=1 WINDOWED_FIGURES=$(CURDIR)/run/kafka.txt go test -count=1 -timeout=20m -run='^Test(Kafka|Takeover|Restart|Rolling)' ./internal/e2e
	@cat run/kafka.txt

sim: ## 200 seeds of the whole program in virtual time, with a broker, network and disk that fail
	WINDOWED_SIM=200 go test -count=1 -timeout=15m -v -run='^TestSimulation$$' ./internal/e2e | grep -v '^=== \|^    --- PASS'

mutants: ## plant every fault: the tests must notice each of them
	go test -tags=planted -count=1 ./internal/fault
	go test -tags=planted -count=1 -v -run=TestMutants ./internal/mutants

chaos: ## kill at every failpoint, cut the network, fill the disk, for CHAOS=1m
	WINDOWED_CHAOS=$(CHAOS) go test -count=1 -timeout=24h -v -run='^Test(Chaos|Damage)$$' ./internal/e2e

lint: ## gofmt, go vet, staticcheck
	@test -z "$$(gofmt -l .)" || { gofmt -l .; exit 1; }
	go vet ./...
	go vet -tags=planted ./...
	go tool staticcheck ./...

alerts: ## test the alert rules (needs promtool)
	cd deploy/prometheus && promtool check rules rules.yaml && promtool test rules rules_test.yaml

fuzz: ## a minute on every fuzz target
	go test ./internal/order -fuzz=FuzzDecode -fuzztime=1m
	go test ./internal/order -fuzz=FuzzFastEqualsStrict -fuzztime=1m
	go test ./internal/avro -fuzz=FuzzEqualsLibrary -fuzztime=1m
	go test ./internal/protobuf -fuzz=FuzzEqualsLibrary -fuzztime=1m
	go test ./internal/wire -fuzz=FuzzHeader -fuzztime=1m
	go test ./window -fuzz=FuzzParseKey -fuzztime=1m
	go test ./state -fuzz=FuzzDecodeChange -fuzztime=1m

bench: ## decode, apply, rank, and the loop on an embedded broker
	go test -run=NONE -bench=. -benchtime=1x ./internal/kafka
	go test -run=NONE -bench=. ./internal/order ./internal/avro ./internal/protobuf ./state

clean: ## what run and build left here
	rm -rf bin run
