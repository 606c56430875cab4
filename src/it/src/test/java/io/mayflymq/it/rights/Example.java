package io.mayflymq.it.rights;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How an operation of the API is tried: with what in its path and its body, what has to be there
 * before, and what a success is. It does not name what is not special.
 */
final class Example {
  /** A request of the administrator. */
  record Step(String method, String path, String body) {}

  private final Map<String, String> names = new HashMap<>();
  private final List<Step> before = new ArrayList<>();
  private Set<Integer> alsoSuccess = Set.of();
  private String body;

  /** Has another value than usual for a name in the path. */
  Example with(String name, String value) {
    names.put(name, value);
    return this;
  }

  Example body(String json) {
    body = json;
    return this;
  }

  /** Has something made before each request: a path with names in braces. */
  Example before(String method, String path, String json) {
    before.add(new Step(method, path, json));
    return this;
  }

  /** Answers that only come behind the check of rights, where a broker alone cannot do it. */
  Example orStatus(Integer... statuses) {
    alsoSuccess = Set.of(statuses);
    return this;
  }

  Map<String, String> names() {
    return names;
  }

  List<Step> before() {
    return before;
  }

  String body() {
    return body;
  }

  boolean isSuccess(int status) {
    return (status >= 200 && status < 300) || alsoSuccess.contains(status);
  }
}
