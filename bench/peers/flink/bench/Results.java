package bench;

import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.api.java.tuple.Tuple3;

/** Takes results (drink, scope, count) into the memory of this process. */
final class Results implements Sink<Tuple3<String, String, Long>> {
  @Override
  public SinkWriter<Tuple3<String, String, Long>> createWriter(WriterInitContext context) {
    return new Writer();
  }

  private static final class Writer implements SinkWriter<Tuple3<String, String, Long>> {
    @Override
    public void write(Tuple3<String, String, Long> result, Context context) {
      Job.RESULTS.merge(result.f0 + ":" + result.f1, result.f2, Long::sum);
    }

    @Override
    public void flush(boolean endOfInput) {}

    @Override
    public void close() {}
  }
}
