package io.mayflymq.core.policy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * How many objects a policy matches, to how many of them it applies, and which policies the others
 * keep.
 *
 * @param queues of all queues
 * @param exchanges of all exchanges; nothing for an operator policy
 */
public record PolicyReach(Part queues, Part exchanges) {
  private static final int MOST_IN_WORDS = 5;

  /**
   * The objects of one kind.
   *
   * @param noun what one of them is called
   * @param matched how many it matches: it covers them, they support all its keys, and its pattern
   *     is found in their names
   * @param applied to how many of these it applies
   * @param kept which policies apply to the others, those with the most objects first
   * @param concerned whether one of its keys is for such objects
   * @param missed why it does not match others in whose names its pattern is found, and how many
   *     those are
   */
  public record Part(
      String noun,
      long matched,
      long applied,
      List<Kept> kept,
      boolean concerned,
      Map<String, Long> missed) {
    /** For JSON. */
    Map<String, Object> toMap() {
      Map<String, Object> map = new LinkedHashMap<>();
      map.put("matched", matched);
      map.put("applied", applied);
      map.put("kept", kept.stream().map(Kept::toMap).toList());
      map.put("missed", missed);
      return map;
    }

    private String inWords() {
      StringBuilder words = new StringBuilder();
      words.append("matches %s: applies to %d".formatted(count(matched), applied));
      kept.stream().limit(MOST_IN_WORDS).forEach(each -> words.append("; ").append(each.inWords()));
      if (kept.size() > MOST_IN_WORDS) {
        words.append(
            "; %d keep %d other policies"
                .formatted(
                    kept.stream().skip(MOST_IN_WORDS).mapToLong(Kept::objects).sum(),
                    kept.size() - MOST_IN_WORDS));
      }
      return words + (concerned ? "" : "; none of its keys has an effect on %ss".formatted(noun));
    }

    private String missedInWords() {
      return missed.entrySet().stream()
          .limit(MOST_IN_WORDS)
          .map(each -> "%s not matched: %s".formatted(count(each.getValue()), each.getKey()))
          .collect(Collectors.joining("\n"));
    }

    private String count(long number) {
      return "%d %s%s".formatted(number, noun, number == 1 ? "" : "s");
    }
  }

  /**
   * Objects that the policy matches and to which another one applies.
   *
   * @param policy the other one
   * @param why it has precedence
   * @param objects how many they are
   */
  public record Kept(Policy policy, String why, long objects) {
    private Map<String, Object> toMap() {
      Map<String, Object> map = new LinkedHashMap<>();
      map.put("policy", policy.name());
      map.put("priority", policy.priority());
      map.put("count", objects);
      map.put("reason", why);
      return map;
    }

    private String inWords() {
      return "%d %s '%s' (%s)"
          .formatted(objects, objects == 1 ? "keeps" : "keep", policy.name(), why);
    }
  }

  /**
   * Determines what a policy reaches.
   *
   * @param table all policies, with this one
   */
  public static PolicyReach of(
      PolicyTable table, Policy policy, List<PolicySubject> queues, List<PolicySubject> exchanges) {
    return new PolicyReach(
        part("queue", table, policy, queues),
        part(
            "exchange", table, policy, policy.kind() == PolicyKind.POLICY ? exchanges : List.of()));
  }

  private static Part part(
      String noun, PolicyTable table, Policy policy, List<PolicySubject> subjects) {
    long matched = 0;
    long applied = 0;
    Map<Policy, Long> others = new LinkedHashMap<>();
    Map<String, Long> missed = new LinkedHashMap<>();
    for (PolicySubject subject : subjects) {
      if (!policy.isFoundIn(subject.name())) {
        continue;
      }
      List<Policy> layers = table.layers(policy.kind(), subject);
      PolicyCandidate candidate = PolicyCandidate.of(policy, subject, layers);
      switch (candidate.verdict()) {
        case APPLIES, ADDED_TO -> applied++;
        case PRIORITY -> others.merge(layers.get(layers.size() - 1), 1L, Long::sum);
        case APPLY_TO, UNSUPPORTED_KEY -> missed.merge(candidate.reason(), 1L, Long::sum);
        case PATTERN -> {}
      }
      matched += candidate.matches() ? 1 : 0;
    }
    List<Kept> kept = new ArrayList<>();
    others.forEach(
        (other, count) ->
            kept.add(new Kept(other, PolicyCandidate.precedence(other, policy), count)));
    kept.sort(
        Comparator.comparingLong(Kept::objects)
            .reversed()
            .thenComparing(each -> each.policy().name()));
    PolicySubject any =
        noun.equals("exchange")
            ? PolicySubject.exchange("")
            : PolicySubject.queue(QueueType.CLASSIC, "");
    boolean concerned = policy.definition().keys().stream().anyMatch(key -> key.concerns(any));
    return new Part(noun, matched, applied, List.copyOf(kept), concerned, missed);
  }

  /**
   * Says it in lines: {@code matches 3 queues: applies to 0; 3 keep 'TTL' (same priority 0, first
   * by name)}, or {@code matches nothing}. Exchanges are left out if it has no effect on them and
   * matches queues.
   */
  public String inWords() {
    List<String> lines = new ArrayList<>();
    if (queues.matched > 0) {
      lines.add(queues.inWords());
    }
    if (exchanges.matched > 0 && (exchanges.concerned || queues.matched == 0)) {
      lines.add(exchanges.inWords());
    }
    if (lines.isEmpty()) {
      lines.add("matches nothing");
    }
    if (queues.matched == 0 && queues.concerned && !queues.missed.isEmpty()) {
      lines.add(queues.missedInWords());
    }
    if (exchanges.matched == 0 && exchanges.concerned && !exchanges.missed.isEmpty()) {
      lines.add(exchanges.missedInWords());
    }
    return String.join("\n", lines);
  }

  /** For JSON: the same in words, and the numbers. */
  public Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("summary", inWords());
    map.put("queues", queues.toMap());
    map.put("exchanges", exchanges.toMap());
    return map;
  }
}
