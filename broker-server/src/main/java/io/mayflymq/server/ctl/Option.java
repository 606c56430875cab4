package io.mayflymq.server.ctl;

import java.util.List;
import picocli.CommandLine.Model.OptionSpec;

/**
 * An option of a command.
 *
 * @param names with their dashes
 * @param label what its value is called, or null for a switch
 * @param type of its value
 * @param suggested values that completion suggests
 */
public record Option(
    List<String> names, String label, Class<?> type, String description, List<String> suggested) {
  public static Option flag(String description, String... names) {
    return new Option(List.of(names), null, Boolean.class, description, List.of());
  }

  public static Option text(String label, String description, String... names) {
    return new Option(List.of(names), label, String.class, description, List.of());
  }

  public static Option number(String label, String description, String... names) {
    return new Option(List.of(names), label, Long.class, description, List.of());
  }

  /** Returns the same, for which completion suggests these values. */
  public Option suggesting(List<String> values) {
    return new Option(names, label, type, description, values);
  }

  /** Returns an option that may be given several times. */
  public static Option texts(String label, String description, String... names) {
    return new Option(List.of(names), label, List.class, description, List.of());
  }

  public OptionSpec spec() {
    OptionSpec.Builder builder =
        OptionSpec.builder(names.toArray(String[]::new)).type(type).description(description);
    if (type == List.class) {
      builder.auxiliaryTypes(String.class);
    }
    return label == null
        ? builder.arity("0").build()
        : builder.arity("1").paramLabel(label).completionCandidates(suggested).build();
  }

  /** Returns the option as shown in a synopsis. */
  public String synopsis() {
    String name = names.get(names.size() - 1);
    return "[" + name + (label == null ? "" : " " + label) + "]";
  }
}
