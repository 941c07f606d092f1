package bench;

import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StoreQueryParameters;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.QueryableStoreTypes;
import org.apache.kafka.streams.state.ReadOnlyKeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/**
 * The job by hand, as fast as Kafka Streams goes: partial counts by input partition in one store,
 * no repartition topic, and lateness judged within the partition.
 */
final class ByPartition implements Streams.Form {
  private static final String COUNTS = "counts";
  private static final String CLOSED_THROUGH = "\0closed-through";

  private final Talk talk;

  ByPartition(Talk talk) {
    this.talk = talk;
  }

  @Override
  public Topology topology() {
    StoreBuilder<KeyValueStore<String, Long>> counts =
        Stores.keyValueStoreBuilder(
                Stores.persistentKeyValueStore(COUNTS), Serdes.String(), Serdes.Long())
            .withCachingEnabled();
    long window = talk.number("window-ms");
    long grace = talk.number("grace-ms");
    long commit = talk.number("commit-ms");
    Topology topology = new Topology();
    topology.addSource(
        Topology.AutoOffsetReset.EARLIEST,
        "orders",
        OrderSerde.TIME,
        Serdes.ByteArray().deserializer(),
        OrderSerde.SERDE.deserializer(),
        talk.text("topic"));
    topology.addProcessor("count", () -> new Counter(window, grace, commit), "orders");
    topology.addStateStore(counts, "count");
    return topology;
  }

  private static final class Counter implements Processor<byte[], Order, Void, Void> {
    private final long window;
    private final long grace;
    private final long commit;
    private KeyValueStore<String, Long> counts;
    private long closedThrough = Long.MIN_VALUE;

    Counter(long window, long grace, long commit) {
      this.window = window;
      this.grace = grace;
      this.commit = commit;
    }

    @Override
    public void init(ProcessorContext<Void, Void> context) {
      counts = context.getStateStore(COUNTS);
      Long kept = counts.get(CLOSED_THROUGH);
      if (kept != null) {
        closedThrough = kept;
      }
      context.schedule(
          Duration.ofMillis(commit),
          PunctuationType.WALL_CLOCK_TIME,
          now -> counts.put(CLOSED_THROUGH, closedThrough));
    }

    @Override
    public void process(Record<byte[], Order> record) {
      Order order = record.value();
      long start = Math.floorDiv(order.time, window) * window;
      boolean late = start + window <= closedThrough;
      String suffix = ":" + start;
      for (int i = 0; i < order.items; i++) {
        add(order.drinks[i] + ":all", order.quantities[i]);
        if (!late) {
          add(order.drinks[i] + suffix, order.quantities[i]);
        }
      }
      if (!late) {
        closedThrough = Math.max(closedThrough, order.time - grace);
      }
      Talk.counted(1);
    }

    private void add(String key, long quantity) {
      Long sum = counts.get(key);
      counts.put(key, sum == null ? quantity : sum + quantity);
    }
  }

  @Override
  public long end() {
    return talk.number("orders");
  }

  @Override
  public void answer(KafkaStreams streams, Talk.Lines lines) throws java.io.IOException {
    ReadOnlyKeyValueStore<String, Long> counts =
        streams.store(
            StoreQueryParameters.fromNameAndType(COUNTS, QueryableStoreTypes.keyValueStore()));
    try (KeyValueIterator<String, Long> it = counts.all()) {
      while (it.hasNext()) {
        KeyValue<String, Long> e = it.next();
        if (e.key.equals(CLOSED_THROUGH)) {
          continue;
        }
        int colon = e.key.lastIndexOf(':');
        lines.add(e.key.substring(colon + 1), e.key.substring(0, colon), e.value);
      }
    }
  }
}
