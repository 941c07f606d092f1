package bench;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/**
 * How a contestant talks to the program that runs it: "first" when the first order is counted,
 * "done" when all are. Then it waits for a line, so that it can be measured, and writes its answer.
 */
public final class Talk {
  private static final AtomicBoolean FIRST = new AtomicBoolean();
  private static final LongAdder COUNTED = new LongAdder();

  private final Map<String, String> flags = new HashMap<>();

  public Talk(String[] args) {
    for (String arg : args) {
      int eq = arg.indexOf('=');
      if (!arg.startsWith("--") || eq < 0) {
        throw new IllegalArgumentException("want --name=value, got " + arg);
      }
      flags.put(arg.substring(2, eq), arg.substring(eq + 1));
    }
  }

  public String text(String name) {
    String value = flags.get(name);
    if (value == null) {
      throw new IllegalArgumentException("--" + name + " is missing");
    }
    return value;
  }

  public long number(String name) {
    return Long.parseLong(text(name));
  }

  /** Takes note of n more things counted, of those that awaitDone waits for. */
  public static void counted(int n) {
    if (!FIRST.getPlain() && FIRST.compareAndSet(false, true)) {
      System.out.println("first");
    }
    COUNTED.add(n);
  }

  /** Waits until want things are counted, says so, and waits until it may go on. */
  public static void awaitDone(long want) throws InterruptedException, IOException {
    while (COUNTED.sum() < want) {
      Thread.sleep(2);
    }
    System.out.println("done");
    System.in.read();
  }

  /** Takes one line of an answer: scope (window start in ms, or "all"), drink, count. */
  public interface Lines {
    void add(String scope, String drink, long count) throws IOException;
  }

  /** Writes lines to the answer file. */
  public interface Answer {
    void write(Lines lines) throws IOException;
  }

  /** Writes the answer; lines of the same scope and drink add up. */
  public void answer(Answer answer) throws IOException {
    try (BufferedWriter out = Files.newBufferedWriter(Path.of(text("answer")))) {
      answer.write(
          (scope, drink, count) -> out.write(scope + "\t" + drink + "\t" + count + "\n"));
    }
    System.out.println("answered");
  }
}
