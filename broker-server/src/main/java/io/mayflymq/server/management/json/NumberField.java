package io.mayflymq.server.management.json;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * A field that is a whole number, and perhaps a gauge of {@code /metrics}.
 *
 * @param <R> an object as it is read for the API
 * @param <T> what of it has the number: the metrics read no more
 */
final class NumberField<R, T> extends Field<R> {
  private final ToLongFunction<T> number;
  private Enum<?> family;
  private FieldGauge<T> gauge;

  /**
   * A number of lists and of single objects.
   *
   * @param source returns the part of an object that has it
   */
  NumberField(String name, Needs needs, Function<R, T> source, ToLongFunction<T> number) {
    super(name, FieldType.NUMBER, needs, object -> number.applyAsLong(source.apply(object)));
    this.number = number;
  }

  /**
   * Makes it a gauge, too.
   *
   * @param in the family of gauges
   * @param named without prefix
   * @param help a sentence
   */
  NumberField<R, T> gauge(Enum<?> in, String named, String help) {
    family = in;
    gauge = new FieldGauge<>(named, help, number);
    return this;
  }

  /** Returns what reads the numbers of a table, by their names. */
  @SuppressWarnings("unchecked") // all numbers of a table have the same source
  static <R, T> Map<String, ToLongFunction<T>> numbers(List<Field<R>> fields) {
    return fields.stream()
        .filter(NumberField.class::isInstance)
        .collect(Collectors.toMap(Field::name, field -> ((NumberField<R, T>) field).number));
  }

  /** Returns the gauges of a family, in the order of the table. */
  @SuppressWarnings("unchecked") // all numbers of a table have the same source
  static <R, T> List<FieldGauge<T>> gauges(List<Field<R>> fields, Enum<?> family) {
    return fields.stream()
        .filter(field -> field instanceof NumberField<?, ?> number && number.family == family)
        .map(field -> ((NumberField<R, T>) field).gauge)
        .toList();
  }
}
