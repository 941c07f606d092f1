package bench;

import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Counts one drink of all time and by window, in one operator, so that an item crosses the network
 * stack once. A window is emitted when the watermark passes its end, all of time at the end.
 */
final class Counter
    extends KeyedProcessFunction<String, Tuple3<String, Long, Long>, Tuple3<String, String, Long>> {
  private final long window;
  private transient ValueState<Long> allTime;
  private transient MapState<Long, Long> windows;

  Counter(long window) {
    this.window = window;
  }

  @Override
  public void open(OpenContext context) {
    allTime =
        getRuntimeContext().getState(new ValueStateDescriptor<>("all-time", Types.LONG));
    windows =
        getRuntimeContext()
            .getMapState(new MapStateDescriptor<>("windows", Types.LONG, Types.LONG));
  }

  @Override
  public void processElement(
      Tuple3<String, Long, Long> item, Context context, Collector<Tuple3<String, String, Long>> out)
      throws Exception {
    Long sum = allTime.value();
    if (sum == null) {
      context.timerService().registerEventTimeTimer(Long.MAX_VALUE);
      sum = 0L;
    }
    allTime.update(sum + item.f1);
    long start = Math.floorDiv(item.f2, window) * window;
    long last = start + window - 1;
    if (last > context.timerService().currentWatermark()) {
      Long count = windows.get(start);
      if (count == null) {
        context.timerService().registerEventTimeTimer(last);
        count = 0L;
      }
      windows.put(start, count + item.f1);
    }
    Talk.counted(1);
  }

  @Override
  public void onTimer(
      long time, OnTimerContext context, Collector<Tuple3<String, String, Long>> out)
      throws Exception {
    String drink = context.getCurrentKey();
    if (time == Long.MAX_VALUE) {
      out.collect(Tuple3.of(drink, "all", allTime.value()));
      return;
    }
    long start = time + 1 - window;
    out.collect(Tuple3.of(drink, Long.toString(start), windows.get(start)));
    windows.remove(start);
  }
}
