package io.mayflymq.server.ctl.client;

import java.util.List;
import picocli.CommandLine.Model.OptionSpec;

/**
 * An option of a command.
 *
 * @param names with their dashes
 * @param label what its value is called, or null for a switch
 * @param type of its value
 */
public record Option(List<String> names, String label, Class<?> type, String description) {
  public static Option flag(String description, String... names) {
    return new Option(List.of(names), null, Boolean.class, description);
  }

  public static Option text(String label, String description, String... names) {
    return new Option(List.of(names), label, String.class, description);
  }

  public static Option number(String label, String description, String... names) {
    return new Option(List.of(names), label, Long.class, description);
  }

  /** Returns an option that may be given several times. */
  public static Option texts(String label, String description, String... names) {
    return new Option(List.of(names), label, List.class, description);
  }

  public OptionSpec spec() {
    OptionSpec.Builder builder =
        OptionSpec.builder(names.toArray(String[]::new)).type(type).description(description);
    if (type == List.class) {
      builder.auxiliaryTypes(String.class);
    }
    return label == null
        ? builder.arity("0").build()
        : builder.arity("1").paramLabel(label).build();
  }

  /** As it stands in a synopsis. */
  public String synopsis() {
    String name = names.get(names.size() - 1);
    return "[" + name + (label == null ? "" : " " + label) + "]";
  }
}
