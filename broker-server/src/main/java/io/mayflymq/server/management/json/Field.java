package io.mayflymq.server.management.json;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A field that objects of a kind have: a row of the table of that kind, such as {@link
 * QueueFields}. Not changed once the table is made, then any thread may use it.
 *
 * @param <R> an object as it is read
 */
class Field<R> {
  /** What {@link #read} returns of a field that is shown with the value null. */
  static final Object NULL = new Object();

  /** In which of an object's forms a field is. */
  enum Shown {
    /** In all, even without statistics. */
    ALWAYS,
    /** In all but those without statistics and totals. */
    WITH_TOTALS,
    /** In those with statistics. */
    WITH_STATISTICS,
    /** In that of a single object, but not in lists. */
    ALONE
  }

  /** What of an object must be read for a field, the cheapest first. */
  enum Needs {
    /** What any thread may read. */
    NOTHING,
    /** Its sizes. */
    SIZES,
    /** All that it has. */
    CONTENTS
  }

  private final String name;
  private final FieldType type;
  private final Needs needs;
  private final Function<R, Object> read;
  private Shown shown = Shown.WITH_STATISTICS;
  private Predicate<R> only = object -> true;
  private Predicate<R> nullAlone = object -> false;
  private boolean summed;
  private final List<FieldColumn> columns = new ArrayList<>();

  /**
   * A field of lists and of single objects.
   *
   * @param read returns its value; null if the object does not have it
   */
  Field(String name, FieldType type, Needs needs, Function<R, Object> read) {
    this.name = name;
    this.type = type;
    this.needs = needs;
    this.read = read;
  }

  /** Says in which forms it is. */
  Field<R> in(Shown forms) {
    shown = forms;
    return this;
  }

  /** Says which objects have it. */
  Field<R> only(Predicate<R> objects) {
    only = objects;
    return this;
  }

  /** Says which single objects show it as null where it is absent; lists leave it out then. */
  Field<R> nullAlone(Predicate<R> objects) {
    nullAlone = objects;
    return this;
  }

  /**
   * Says that each node has its own part of it, and the sum of all parts is shown: numbers are
   * added, and those in objects.
   */
  Field<R> summed() {
    summed = true;
    return this;
  }

  /** Makes it a column of the control command's list. */
  Field<R> column() {
    return column(name, "", type);
  }

  /**
   * Adds a column of the control command's list.
   *
   * @param within the path within this field; empty for the field itself
   */
  Field<R> column(String named, String within, FieldType as) {
    columns.add(new FieldColumn(named, within.isEmpty() ? name : name + "." + within, as));
    return this;
  }

  /** Adds columns for rates of statistics, for a field that has statistics. */
  Field<R> rates(String... statistics) {
    for (String each : statistics) {
      column(each + "_rate", each + "_details.rate", FieldType.COUNT);
    }
    return this;
  }

  String name() {
    return name;
  }

  Shown shown() {
    return shown;
  }

  Needs needs() {
    return needs;
  }

  /** Returns its value; null if the object does not have it. */
  Object of(R object) {
    Object value = only.test(object) ? read.apply(object) : null;
    return value == NULL ? null : value;
  }

  /**
   * Adds it to an object, if it has a value or is shown as null.
   *
   * @param alone whether the object is shown alone
   */
  void put(Map<String, Object> shownObject, R object, boolean alone) {
    Object value = only.test(object) ? read.apply(object) : null;
    if (value != null) {
      shownObject.put(name, value == NULL ? null : value);
    } else if (alone && nullAlone.test(object)) {
      shownObject.put(name, null);
    }
  }

  /** Returns the fields of a table that lists have. */
  static <R> List<Field<R>> listed(List<Field<R>> table) {
    return table.stream().filter(field -> field.shown != Shown.ALONE).toList();
  }

  /** Returns the fields of a table of which each node has a part. */
  static <R> List<Field<R>> summed(List<Field<R>> table) {
    return table.stream().filter(field -> field.summed).toList();
  }

  /**
   * Returns an object with these fields, in their order.
   *
   * @param alone whether it is shown alone, not in a list
   */
  static <R> Map<String, Object> object(List<Field<R>> fields, R object, boolean alone) {
    Map<String, Object> shown = new LinkedHashMap<>(2 * fields.size());
    for (Field<R> field : fields) {
      field.put(shown, object, alone);
    }
    return shown;
  }

  /** Returns the columns of a table, in its order. */
  static <R> List<FieldColumn> columns(List<Field<R>> table) {
    return table.stream().flatMap(field -> field.columns.stream()).toList();
  }
}
