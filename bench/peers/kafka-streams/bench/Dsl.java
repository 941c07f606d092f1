package bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StoreQueryParameters;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.QueryableStoreTypes;
import org.apache.kafka.streams.state.ReadOnlyKeyValueStore;
import org.apache.kafka.streams.state.ReadOnlyWindowStore;
import org.apache.kafka.streams.state.WindowStore;

/**
 * The job by the book of the DSL: orders to drinks, repartitioned by drink, summed up of all time
 * and by window with grace.
 */
final class Dsl implements Streams.Form {
  private static final String ALL_TIME = "all-time";
  private static final String WINDOWS = "windows";

  private final Talk talk;

  Dsl(Talk talk) {
    this.talk = talk;
  }

  @Override
  public Topology topology() {
    StreamsBuilder builder = new StreamsBuilder();
    KGroupedStream<String, Long> drinks =
        builder.stream(talk.text("topic"), OrderSerde.consumed())
            .flatMap((key, order) -> items(order))
            .groupByKey(Grouped.with("drinks", Serdes.String(), Serdes.Long()));
    // Nothing is dropped of all time, so that this one tells how far both are: an item goes
    // to the other one right after it.
    Serde<String> names = Serdes.String();
    drinks
        .windowedBy(
            TimeWindows.ofSizeAndGrace(
                Duration.ofMillis(talk.number("window-ms")),
                Duration.ofMillis(talk.number("grace-ms"))))
        .aggregate(
            () -> 0L,
            (drink, quantity, sum) -> sum + quantity,
            Materialized.<String, Long, WindowStore<Bytes, byte[]>>as(WINDOWS)
                .withKeySerde(names)
                .withValueSerde(Serdes.Long())
                .withRetention(Duration.ofMillis(talk.number("retention-ms"))));
    drinks.aggregate(
        () -> 0L,
        (drink, quantity, sum) -> {
          Talk.counted(1);
          return sum + quantity;
        },
        Materialized.<String, Long, KeyValueStore<Bytes, byte[]>>as(ALL_TIME)
            .withKeySerde(names)
            .withValueSerde(Serdes.Long()));
    java.util.Properties optimize = new java.util.Properties();
    optimize.put(StreamsConfig.TOPOLOGY_OPTIMIZATION_CONFIG, StreamsConfig.OPTIMIZE);
    return builder.build(optimize);
  }

  private static List<KeyValue<String, Long>> items(Order order) {
    List<KeyValue<String, Long>> items = new ArrayList<>(order.items);
    for (int i = 0; i < order.items; i++) {
      items.add(KeyValue.pair(order.drinks[i], order.quantities[i]));
    }
    return items;
  }

  @Override
  public long end() {
    return talk.number("items");
  }

  @Override
  public void answer(KafkaStreams streams, Talk.Lines lines) throws java.io.IOException {
    ReadOnlyKeyValueStore<String, Long> all =
        streams.store(
            StoreQueryParameters.fromNameAndType(ALL_TIME, QueryableStoreTypes.keyValueStore()));
    try (KeyValueIterator<String, Long> it = all.all()) {
      while (it.hasNext()) {
        KeyValue<String, Long> e = it.next();
        lines.add("all", e.key, e.value);
      }
    }
    ReadOnlyWindowStore<String, Long> windows =
        streams.store(
            StoreQueryParameters.fromNameAndType(WINDOWS, QueryableStoreTypes.windowStore()));
    try (KeyValueIterator<Windowed<String>, Long> it = windows.all()) {
      while (it.hasNext()) {
        KeyValue<Windowed<String>, Long> e = it.next();
        lines.add(Long.toString(e.key.window().start()), e.key.key(), e.value);
      }
    }
  }
}
