package io.mayflymq.core.proof;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A sentence about what can happen, or cannot, to the messages of a queue.
 *
 * @param id which of the claims it is
 * @param sentence what happens
 * @param from the settings that it follows from
 * @param change what would change it: a command, or in words where none does; null for what cannot
 *     happen
 */
public record Claim(ClaimId id, String sentence, String from, String change) {
  /** Returns it for JSON. */
  public Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("id", id.id());
    map.put("danger", id.danger().inWords());
    map.put("verdict", id.can() ? "can" : "cannot");
    map.put("event", id.event());
    map.put("sentence", sentence);
    map.put("from", from);
    map.put("change", change);
    return map;
  }
}
