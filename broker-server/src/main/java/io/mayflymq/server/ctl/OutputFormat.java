package io.mayflymq.server.ctl;

import io.mayflymq.core.naming.NearestName;
import io.mayflymq.server.json.JsonWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The output formats of results: RabbitMQ's formatters. */
enum OutputFormat {
  /** Cells separated by tabs. */
  TABLE {
    @Override
    public String rows(Result.Rows rows, boolean titled) {
      return lines(rows, titled && rows.titled(), cells -> String.join("\t", cells));
    }
  },

  /** Cells in a frame. */
  PRETTY_TABLE {
    @Override
    public String rows(Result.Rows rows, boolean titled) {
      return rows.rows().isEmpty() ? "" : Frames.draw(rows, titled);
    }
  },

  /** One JSON document. */
  JSON {
    @Override
    public String rows(Result.Rows rows, boolean titled) {
      return array(rows, JsonWriter::text);
    }
  },

  /** A JSON document for each row, on its own line. */
  JSON_STREAM {
    @Override
    public String rows(Result.Rows rows, boolean titled) {
      return stream(rows, JsonWriter::text);
    }
  },

  /** RFC 4180. */
  CSV {
    @Override
    public String rows(Result.Rows rows, boolean titled) {
      return lines(rows, titled, OutputFormat::csv);
    }
  },

  /** Erlang terms. */
  ERLANG {
    @Override
    public String rows(Result.Rows rows, boolean titled) {
      return Term.erlang(rows.rows());
    }
  },

  /** Elixir terms. */
  INSPECT {
    @Override
    public String rows(Result.Rows rows, boolean titled) {
      return array(rows, Term::elixir);
    }
  },

  /** Texts unchanged, other values as Elixir terms, one per line. */
  STRING {
    @Override
    public String rows(Result.Rows rows, boolean titled) {
      return stream(rows, Term::elixir);
    }
  };

  /**
   * Returns the format of this name.
   *
   * @throws ControlException if there is no such format
   */
  public static OutputFormat named(String name) {
    return Arrays.stream(values())
        .filter(format -> format.wireName().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                ControlException.usage(
                    "formatter '%s' is not supported; should be one of %s%s"
                        .formatted(
                            name,
                            String.join(", ", wireNames()),
                            NearestName.hint(name, wireNames()))));
  }

  private static List<String> wireNames() {
    return Arrays.stream(values()).map(OutputFormat::wireName).toList();
  }

  String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns whether it is for programs; then no banner or other text is added. */
  public boolean isForMachines() {
    return this == JSON || this == JSON_STREAM || this == CSV;
  }

  /** Formats a list; empty if there is nothing to show. */
  public abstract String rows(Result.Rows rows, boolean titled);

  /** Formats one value. */
  public String value(Result.Value one) {
    return switch (this) {
      case JSON, JSON_STREAM -> JsonWriter.text(one.value());
      case ERLANG -> Term.erlang(one.value());
      case INSPECT -> Term.elixir(one.value());
      case TABLE, PRETTY_TABLE, CSV, STRING -> one.text();
    };
  }

  /**
   * Formats rows as lines. The titles are the first line if {@code titled}, unless there are no
   * rows.
   */
  private static String lines(
      Result.Rows rows, boolean titled, Function<List<String>, String> line) {
    Stream<List<String>> titles =
        titled && !rows.rows().isEmpty() ? Stream.of(rows.columns()) : Stream.empty();
    return Stream.concat(titles, rows.rows().stream().map(row -> cells(rows, row)))
        .map(line)
        .collect(Collectors.joining("\n"));
  }

  private static String stream(Result.Rows rows, Function<Object, String> written) {
    return rows.rows().stream().map(written).collect(Collectors.joining("\n"));
  }

  private static String array(Result.Rows rows, Function<Object, String> written) {
    return rows.rows().isEmpty()
        ? "[\n]"
        : rows.rows().stream().map(written).collect(Collectors.joining("\n,", "[\n", "\n]"));
  }

  private static List<String> cells(Result.Rows rows, Map<String, Object> row) {
    return rows.columns().stream().map(column -> Term.cell(row.get(column))).toList();
  }

  private static String csv(List<String> cells) {
    return cells.stream()
        .map(cell -> "\"" + cell.replace("\"", "\"\"") + "\"")
        .collect(Collectors.joining(","));
  }

  /** Draws frames around cells. */
  private static final class Frames {
    private Frames() {}

    static String draw(Result.Rows rows, boolean titled) {
      List<List<String>> lines = new ArrayList<>();
      if (titled) {
        lines.add(rows.columns());
      }
      rows.rows().forEach(row -> lines.add(cells(rows, row)));
      int[] widths = new int[rows.columns().size()];
      for (List<String> line : lines) {
        for (int i = 0; i < widths.length; i++) {
          widths[i] = Math.max(widths[i], width(line.get(i)));
        }
      }
      String between = "\n" + rule(widths, "├", "┼", "┤") + "\n";
      return lines.stream()
          .map(line -> line(line, widths))
          .collect(
              Collectors.joining(
                  between, rule(widths, "┌", "┬", "┐") + "\n", "\n" + rule(widths, "└", "┴", "┘")));
    }

    private static int width(String cell) {
      return cell.codePointCount(0, cell.length());
    }

    private static String rule(int[] widths, String left, String middle, String right) {
      return Arrays.stream(widths)
          .mapToObj(width -> "─".repeat(width + 2))
          .collect(Collectors.joining(middle, left, right));
    }

    private static String line(List<String> cells, int[] widths) {
      StringBuilder line = new StringBuilder("│");
      for (int i = 0; i < widths.length; i++) {
        line.append(' ').append(cells.get(i));
        line.append(" ".repeat(widths[i] - width(cells.get(i)) + 1)).append('│');
      }
      return line.toString();
    }
  }
}
