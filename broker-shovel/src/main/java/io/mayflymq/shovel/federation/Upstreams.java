package io.mayflymq.shovel.federation;

import io.mayflymq.core.admin.Parameter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** The upstreams of a virtual host, and their sets. Immutable. */
final class Upstreams {
  /** The name of the set of all. */
  static final String ALL = "all";

  private final Map<String, Map<?, ?>> upstreams = new LinkedHashMap<>();
  private final Map<String, List<?>> sets = new LinkedHashMap<>();

  /** Of upstreams that name their queues themselves. */
  private final Map<String, Pattern> patterns = new LinkedHashMap<>();

  /**
   * @param parameters all of the broker's
   * @param json reads JSON as Java has it
   */
  Upstreams(String vhost, List<Parameter> parameters, Function<String, Object> json) {
    for (Parameter parameter : parameters) {
      if (!parameter.vhost().equals(vhost)) {
        continue;
      }
      if (parameter.component().equals(Federation.UPSTREAM)
          && json.apply(parameter.json()) instanceof Map<?, ?> upstream) {
        upstreams.put(parameter.name(), upstream);
        Upstream parsed = UpstreamParser.parse(parameter.name(), upstream).upstream();
        if (parsed != null && parsed.queuePattern() != null) {
          patterns.put(parameter.name(), Pattern.compile(parsed.queuePattern()));
        }
      } else if (parameter.component().equals(Federation.SET)
          && json.apply(parameter.json()) instanceof List<?> set) {
        sets.put(parameter.name(), set);
      }
    }
  }

  /** Returns the patterns of the queues that upstreams name themselves. */
  Collection<Pattern> queuePatterns() {
    return patterns.values();
  }

  /**
   * Finds the upstreams of an exchange or a queue: those that its policy selects, and those that
   * name it themselves.
   *
   * @return those that are valid; each once, with what its set changes
   */
  List<Upstream> of(Federated federated) {
    List<Upstream> upstreamsOfIt = selected(federated.selection());
    if (federated.kind() == Federated.Kind.QUEUE) {
      patterns.forEach(
          (upstream, pattern) -> {
            boolean isSelected =
                upstreamsOfIt.stream().anyMatch(each -> each.name().equals(upstream));
            if (!isSelected && pattern.matcher(federated.name()).find()) {
              add(upstreamsOfIt, upstream, Map.of());
            }
          });
    }
    return upstreamsOfIt;
  }

  private List<Upstream> selected(Selection selection) {
    List<Upstream> selected = new ArrayList<>();
    if (selection.upstream() != null) {
      add(selected, selection.upstream(), Map.of());
    } else if (selection.pattern() != null) {
      Pattern pattern = pattern(selection.pattern());
      upstreams.keySet().stream()
          .filter(name -> pattern != null && pattern.matcher(name).find())
          .forEach(name -> add(selected, name, Map.of()));
    } else if (ALL.equals(selection.set())) {
      upstreams.keySet().forEach(name -> add(selected, name, Map.of()));
    } else {
      for (Object entry : sets.getOrDefault(selection.set(), List.of())) {
        if (entry instanceof Map<?, ?> fields) {
          add(selected, UpstreamParser.upstreamOf(fields), fields);
        }
      }
    }
    return selected;
  }

  private static Pattern pattern(String text) {
    try {
      return Pattern.compile(text);
    } catch (PatternSyntaxException e) {
      return null;
    }
  }

  private void add(List<Upstream> selected, String name, Map<?, ?> entry) {
    Map<?, ?> upstream = upstreams.get(name);
    if (upstream != null) {
      Upstream parsed =
          UpstreamParser.parse(name, UpstreamParser.overridden(upstream, entry)).upstream();
      if (parsed != null) {
        selected.add(parsed);
      }
    }
  }
}
