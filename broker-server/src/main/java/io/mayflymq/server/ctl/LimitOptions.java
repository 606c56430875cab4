package io.mayflymq.server.ctl;

import io.mayflymq.core.admin.AdministrationException;
import io.mayflymq.core.naming.NearestName;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.json.JsonWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What the commands for limits of users and of virtual hosts have in common. */
final class LimitOptions {
  private LimitOptions() {}

  /** Returns the limits of all that have some; the key is what they belong to. */
  static Result rows(String key, List<Map<String, Object>> limits) {
    return new Result.Rows(
        List.of(key, "limits"),
        limits.stream()
            .map(
                each ->
                    Json.object(key, each.get(key), "limits", JsonWriter.text(each.get("value"))))
            .collect(Collectors.toList()));
  }

  /**
   * Checks all limits before the first one is set, so that either all are set or none.
   *
   * @param error what is said of limits that there are not, in the place of {@code %s}
   * @param reader reads the limits; throws what is wrong with a value
   * @param wrong what is said of that, in the place of {@code %s}
   * @throws ControlException naming limits that there are not, or the one whose value is wrong
   */
  static void check(
      Map<String, Object> limits,
      List<String> known,
      String error,
      Consumer<Object> reader,
      String wrong) {
    requireKnown(limits, known, error);
    try {
      reader.accept(limits);
    } catch (AdministrationException e) {
      throw ControlException.error(Sysexits.UNAVAILABLE, wrong.replace("%s", e.getMessage()));
    }
  }

  private static void requireKnown(Map<String, Object> limits, List<String> known, String error) {
    List<Object> others =
        limits.entrySet().stream()
            .filter(limit -> !known.contains(limit.getKey()))
            .map(limit -> (Object) new Term.Tuple(Arrays.asList(limit.getKey(), limit.getValue())))
            .collect(Collectors.toList());
    if (!others.isEmpty()) {
      String meant =
          limits.keySet().stream()
              .filter(name -> !known.contains(name))
              .map(name -> "'%s' is no limit%s".formatted(name, NearestName.hint(name, known)))
              .collect(Collectors.joining("\n"));
      throw ControlException.error(
          Sysexits.UNAVAILABLE,
          error.replace("%s", Term.erlang(others)).stripTrailing() + "\n" + meant);
    }
  }

  /**
   * Returns the limits of one, as JSON.
   *
   * @param none what is shown if there are none
   * @param wrapped makes what programs get of the text
   */
  static Result one(
      List<Map<String, Object>> limits, String none, Function<String, Object> wrapped) {
    String text = limits.isEmpty() ? none : JsonWriter.text(limits.get(0).get("value"));
    return new Result.Value(text.isEmpty() ? List.of() : wrapped.apply(text), text);
  }
}
