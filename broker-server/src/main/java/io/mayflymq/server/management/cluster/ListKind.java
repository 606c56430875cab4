package io.mayflymq.server.management.cluster;

import io.mayflymq.server.management.api.Request;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A kind of thing of which each node lists its own.
 *
 * @param name of the kind
 * @param here returns what this node has of what a request asks for, in order; neither filtered by
 *     name nor cut into pages
 * @param id names a thing on its node
 * @param place orders them; equal for those that are in no order
 * @param named the name that requests filter by
 * @param further its further names, which requests that say {@code all_names} filter by too
 * @param object what is shown
 */
public record ListKind<T>(
    String name,
    Function<Request, List<T>> here,
    Function<T, String> id,
    Function<T, String> place,
    Function<T, String> named,
    Function<T, List<String>> further,
    Function<T, Map<String, Object>> object) {
  /** A kind of thing with one name. */
  public ListKind(
      String name,
      Function<Request, List<T>> here,
      Function<T, String> id,
      Function<T, String> place,
      Function<T, String> named,
      Function<T, Map<String, Object>> object) {
    this(name, here, id, place, named, thing -> List.of(), object);
  }
}
