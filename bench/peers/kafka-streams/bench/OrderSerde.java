package bench;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.processor.TimestampExtractor;

/** Orders as Kafka Streams reads them: the value decoded, its time as the record's. */
final class OrderSerde {
  private OrderSerde() {}

  static final Serde<Order> SERDE =
      Serdes.serdeFrom(
          (topic, order) -> {
            throw new UnsupportedOperationException("orders are only read");
          },
          (topic, value) -> Order.parse(value));

  static final TimestampExtractor TIME =
      (ConsumerRecord<Object, Object> record, long partitionTime) -> ((Order) record.value()).time;

  static Consumed<byte[], Order> consumed() {
    return Consumed.with(Serdes.ByteArray(), SERDE).withTimestampExtractor(TIME);
  }
}
