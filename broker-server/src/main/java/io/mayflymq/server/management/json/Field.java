package io.mayflymq.server.management.json;

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
  private boolean column;

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

  /** Makes it a column of the control command's list. */
  Field<R> column() {
    column = true;
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

  /** Returns the columns of a table, in its order. */
  static <R> List<FieldColumn> columns(List<Field<R>> fields) {
    return fields.stream()
        .filter(field -> field.column)
        .map(field -> new FieldColumn(field.name, field.name, field.type))
        .toList();
  }
}
