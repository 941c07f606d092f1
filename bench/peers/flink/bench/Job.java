package bench;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Flink as a contestant: the job on a MiniCluster, with one of two kinds of state. */
public final class Job {
  /** An item on its way: drink, quantity, event time. */
  static final TypeInformation<Tuple3<String, Long, Long>> ITEM =
      Types.TUPLE(Types.STRING, Types.LONG, Types.LONG);

  /** What the sink has got, by scope and drink. */
  static final Map<String, Long> RESULTS = new ConcurrentHashMap<>();

  private Job() {}

  public static void main(String[] args) throws Exception {
    Talk talk = new Talk(args);
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.createLocalEnvironment(
            (int) talk.number("threads"), config(talk));
    build(env, talk);
    Thread job = new Thread(() -> run(env), "job");
    job.start();
    Talk.awaitDone(talk.number("items"));
    job.join();
    talk.answer(Job::write);
    Runtime.getRuntime().halt(0);
  }

  private static Configuration config(Talk talk) {
    Configuration c = new Configuration();
    c.set(StateBackendOptions.STATE_BACKEND, talk.text("backend"));
    c.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
    c.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, "file://" + talk.text("state"));
    c.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofSeconds(1));
    c.set(
        CheckpointingOptions.CHECKPOINTING_CONSISTENCY_MODE, CheckpointingMode.EXACTLY_ONCE);
    c.set(PipelineOptions.OBJECT_REUSE, true);
    c.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(256));
    return c;
  }

  private static void build(StreamExecutionEnvironment env, Talk talk) {
    KafkaSource<Tuple3<String, Long, Long>> source =
        KafkaSource.<Tuple3<String, Long, Long>>builder()
            .setBootstrapServers(talk.text("brokers"))
            .setTopics(talk.text("topic"))
            .setGroupId(talk.text("group"))
            .setStartingOffsets(OffsetsInitializer.earliest())
            .setBounded(OffsetsInitializer.latest())
            .setDeserializer(new Items())
            .build();
    // The source keeps a watermark per partition, and the least of them counts.
    WatermarkStrategy<Tuple3<String, Long, Long>> times =
        WatermarkStrategy.<Tuple3<String, Long, Long>>forBoundedOutOfOrderness(
                Duration.ofMillis(talk.number("grace-ms")))
            .withTimestampAssigner((item, recordTime) -> item.f2);
    env.fromSource(source, times, "orders", ITEM)
        .keyBy(item -> item.f0, Types.STRING)
        .process(new Counter(talk.number("window-ms")), Types.TUPLE(Types.STRING, Types.STRING, Types.LONG))
        .sinkTo(new Results());
  }

  private static void run(StreamExecutionEnvironment env) {
    try {
      env.execute("drinks");
    } catch (Exception e) {
      e.printStackTrace();
      Runtime.getRuntime().halt(1);
    }
  }

  private static void write(Talk.Lines lines) throws IOException {
    for (Map.Entry<String, Long> e : RESULTS.entrySet()) {
      int colon = e.getKey().lastIndexOf(':');
      lines.add(e.getKey().substring(colon + 1), e.getKey().substring(0, colon), e.getValue());
    }
  }

  /** Decodes an order to its items. */
  private static final class Items
      implements KafkaRecordDeserializationSchema<Tuple3<String, Long, Long>> {
    @Override
    public void deserialize(
        ConsumerRecord<byte[], byte[]> record, Collector<Tuple3<String, Long, Long>> out) {
      Order order = Order.parse(record.value());
      for (int i = 0; i < order.items; i++) {
        out.collect(Tuple3.of(order.drinks[i], order.quantities[i], order.time));
      }
    }

    @Override
    public TypeInformation<Tuple3<String, Long, Long>> getProducedType() {
      return ITEM;
    }
  }
}
