package io.mayflymq.server.auth.ldap.query;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A directory in memory, in which names are compared as texts. */
final class MapDirectory implements Directory {
  /** An entry with this name is one that the directory says nothing about. */
  static final String UNDECIDED = "cn=undecided";

  /** The directory is down for questions about this name. */
  static final String DOWN = "cn=down";

  private final Map<String, Map<String, List<String>>> entries = new HashMap<>();
  final List<String> asked = new ArrayList<>();

  MapDirectory entry(String dn, String attribute, String... values) {
    entries.computeIfAbsent(dn, name -> new HashMap<>()).put(attribute, List.of(values));
    return this;
  }

  private Map<String, List<String>> find(String dn) throws UndecidedException, IOException {
    asked.add(dn);
    if (dn.equals(UNDECIDED)) {
      throw new UndecidedException("the directory refers elsewhere");
    }
    if (dn.equals(DOWN)) {
      throw new IOException("down");
    }
    return entries.getOrDefault(dn, Map.of());
  }

  @Override
  public boolean exists(String dn) throws UndecidedException, IOException {
    return !find(dn).isEmpty();
  }

  @Override
  public boolean has(String dn, String attribute, String value)
      throws UndecidedException, IOException {
    return values(dn, attribute).contains(value);
  }

  @Override
  public List<String> values(String dn, String attribute) throws UndecidedException, IOException {
    return find(dn).getOrDefault(attribute, List.of());
  }

  @Override
  public List<String> groupsOf(Collection<String> members, String attribute, boolean isOneLevel) {
    return entries.entrySet().stream()
        .filter(
            entry ->
                entry.getValue().getOrDefault(attribute, List.of()).stream()
                    .anyMatch(members::contains))
        .map(Map.Entry::getKey)
        .filter(dn -> !isOneLevel || dn.indexOf(',') == dn.lastIndexOf(','))
        .toList();
  }

  @Override
  public String normalized(String dn) {
    return dn;
  }
}
