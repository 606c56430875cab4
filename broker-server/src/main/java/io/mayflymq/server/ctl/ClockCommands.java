package io.mayflymq.server.ctl;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Commands for a broker whose clock is moved by hand. */
final class ClockCommands {
  private static final String CLOCK = "clock";
  private static final String FAULTS = "faults";
  private static final Pattern PART = Pattern.compile("([0-9]{1,15})(ms|s|m|h|d)");
  private static final Map<String, Long> MILLIS =
      Map.of("ms", 1L, "s", 1_000L, "m", 60_000L, "h", 3_600_000L, "d", 86_400_000L);

  private ClockCommands() {}

  public static List<Command> all() {
    return List.of(
        Command.named("clock", "Tells what time it is for the broker, and when something is due")
            .shownAs(OutputFormat.STRING)
            .action(invocation -> told(Api.object(invocation.api().get(CLOCK)))),
        Command.named("advance_clock", "Moves the clock of a broker that has clock = manual")
            .arguments("time")
            .noting(
                "The time is a number with ms, s, m, h or d, or several of them: 1h30m; or next,"
                    + " for the next moment at which something is due. The command ends when all that"
                    + " was due until then has happened, in its order.")
            .shownAs(OutputFormat.STRING)
            .action(ClockCommands::advance),
        Command.named("faults", "Tells which faults of confirms and acknowledgements were set")
            .shownAs(OutputFormat.STRING)
            .action(invocation -> faults(Api.object(invocation.api().get(FAULTS)))),
        Command.named("set_fault", "Sets what becomes of confirms or acknowledgements, for a test")
            .arguments("fault", "fate")
            .noting("The broker needs clock = manual. The fault lasts until it is set again.")
            .shownAs(OutputFormat.STRING)
            .action(ClockCommands::setFault));
  }

  private static Result setFault(Invocation invocation) {
    String fault = invocation.argument(0);
    String fate = invocation.argument(1);
    invocation.banner("Setting %s to %s ...", fault, fate);
    return faults(Api.object(invocation.api().put(FAULTS, Map.of(fault, fate))));
  }

  private static Result faults(Map<String, Object> faults) {
    String text = "confirms: %s, acks: %s%n".formatted(faults.get("confirms"), faults.get("acks"));
    return new Result.Value(faults, text);
  }

  private static Result advance(Invocation invocation) {
    String given = invocation.argument(0);
    Map<String, Object> body =
        given.equals("next") ? Map.of("to_next", true) : Map.of("advance_ms", millis(given));
    invocation.banner("Advancing the clock by %s ...", given);
    return told(Api.object(invocation.api().post(CLOCK, body)));
  }

  private static long millis(String given) {
    Matcher part = PART.matcher(given);
    long millis = 0;
    int at = 0;
    try {
      while (part.find() && part.start() == at) {
        millis =
            Math.addExact(
                millis,
                Math.multiplyExact(Long.parseLong(part.group(1)), MILLIS.get(part.group(2))));
        at = part.end();
      }
    } catch (ArithmeticException e) {
      at = 0;
    }
    if (at == 0 || at < given.length()) {
      throw ControlException.usage(
          "time '%s': expected a number with ms, s, m, h or d, such as 90s or 1h30m, or next"
              .formatted(given));
    }
    return millis;
  }

  private static Result told(Map<String, Object> clock) {
    Map<String, Object> shown = new LinkedHashMap<>(clock);
    Object next = clock.get("next_ms");
    StringBuilder text = new StringBuilder("%s: %s".formatted(clock.get("mode"), clock.get("now")));
    if (next instanceof Number due) {
      text.append(
          ", something is due in %d ms"
              .formatted(due.longValue() - ControlValues.number(clock, "now_ms")));
    } else if ("manual".equals(clock.get("mode"))) {
      text.append(", nothing is due");
    }
    return new Result.Value(shown, text.append('\n').toString());
  }
}
