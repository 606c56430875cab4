package io.mayflymq.server.ctl;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * In which order the rows of a list are shown, and how many. Texts are sorted from A to Z, and all
 * else by size, the largest first; rows without a value come last.
 */
final class RowOrder {
  private static final long LARGEST_PAGE = 500;

  private final Columns columns;
  private final String column;
  private final boolean ascending;
  private final long limit;

  /**
   * @param columns all columns of the list
   * @param column by which the rows are sorted; null for their own order
   * @param reverse whether the order is the other way round
   * @param limit how many rows are shown at most; 0 for all
   * @throws io.mayflymq.server.ctl.ControlException if there is no such column
   */
  public RowOrder(Columns columns, String column, boolean reverse, long limit) {
    this.columns = column == null ? columns : columns.chosen(List.of(column));
    this.column = column;
    this.ascending = column != null && columns.isText(column) != reverse;
    this.limit = limit;
  }

  /** Returns the field that objects must have to be sorted; empty if they are not. */
  public String[] fields() {
    return column == null ? new String[0] : new String[] {columns.field(column)};
  }

  /**
   * Returns the query by which the broker sorts and returns no more than is shown; empty if it
   * cannot.
   */
  public String page() {
    boolean sorted = column == null || !columns.field(column).contains(",");
    if (limit == 0 || limit > LARGEST_PAGE || !sorted) {
      return "";
    }
    return "&page=1&page_size=%d%s"
        .formatted(
            limit,
            column == null
                ? ""
                : "&sort=%s&sort_reverse=%b".formatted(columns.field(column), !ascending));
  }

  /** Returns the objects that are shown, in order. */
  public List<Map<String, Object>> of(List<Map<String, Object>> objects) {
    List<Map<String, Object>> ordered = new ArrayList<>(objects);
    if (column != null) {
      Function<Map<String, Object>, Object> value = object -> columns.value(column, object);
      ordered.sort(Comparator.comparing(value, Comparator.nullsLast(this::compare)));
    }
    return limit == 0 || ordered.size() <= limit ? ordered : ordered.subList(0, (int) limit);
  }

  private int compare(Object left, Object right) {
    int compared =
        left instanceof Number number && right instanceof Number other
            ? Double.compare(number.doubleValue(), other.doubleValue())
            : left.toString().compareTo(right.toString());
    return ascending ? compared : -compared;
  }
}
