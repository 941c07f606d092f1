package bench;

import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;

/** Kafka Streams as a contestant, in one of two forms. */
public final class Streams {
  private Streams() {}

  /** A form of the job: its topology, what it counts towards the end, and its answer. */
  interface Form {
    Topology topology();

    long end();

    void answer(KafkaStreams streams, Talk.Lines lines) throws java.io.IOException;
  }

  public static void main(String[] args) throws Exception {
    Talk talk = new Talk(args);
    Form form = talk.text("form").equals("dsl") ? new Dsl(talk) : new ByPartition(talk);
    Topology topology = form.topology();
    KafkaStreams streams = new KafkaStreams(topology, config(talk));
    streams.setUncaughtExceptionHandler(
        e -> {
          e.printStackTrace();
          Runtime.getRuntime().halt(1);
          return null;
        });
    streams.start();
    Talk.awaitDone(form.end());
    talk.answer(lines -> form.answer(streams, lines));
    streams.close(Duration.ofSeconds(20));
    Runtime.getRuntime().halt(0);
  }

  private static Properties config(Talk talk) {
    Properties p = new Properties();
    p.put(StreamsConfig.APPLICATION_ID_CONFIG, talk.text("group"));
    p.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, talk.text("brokers"));
    p.put(StreamsConfig.STATE_DIR_CONFIG, talk.text("state"));
    p.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, talk.text("threads"));
    p.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, talk.text("commit-ms"));
    p.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 128L << 20);
    p.put(StreamsConfig.TOPOLOGY_OPTIMIZATION_CONFIG, StreamsConfig.OPTIMIZE);
    p.put(
        StreamsConfig.PROCESSING_GUARANTEE_CONFIG,
        talk.text("guarantee").equals("exactly-once")
            ? StreamsConfig.EXACTLY_ONCE_V2
            : StreamsConfig.AT_LEAST_ONCE);
    p.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    return p;
  }
}
