package io.mayflymq.server.definitions;

import io.mayflymq.server.json.Json;
import java.util.Map;

/**
 * Something that a lint of definitions has found.
 *
 * @param rule what it is
 * @param object what it is about, such as {@code queue 'orders' in vhost '/'}
 * @param sentence what is wrong there, and what would change it
 */
public record LintFinding(LintRule rule, String object, String sentence) {
  /** For JSON. */
  public Map<String, Object> toMap() {
    return Json.object(
        "rule", rule.id(), "level", rule.level().word(), "object", object, "message", sentence);
  }
}
