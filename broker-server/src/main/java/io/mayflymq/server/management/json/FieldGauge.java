package io.mayflymq.server.management.json;

import java.util.function.ToLongFunction;

/**
 * A field as a gauge of {@code /metrics}.
 *
 * @param name without prefix
 * @param help a sentence
 * @param value reads it
 * @param <T> what has it
 */
public record FieldGauge<T>(String name, String help, ToLongFunction<T> value) {}
