package io.mayflymq.server.auth.ldap.query;

import java.util.EnumMap;
import java.util.Map;

/** What a question is about: the values of variables. Immutable. */
public final class Subject {
  private final Map<Variable, String> values;

  private Subject(Map<Variable, String> values) {
    this.values = values;
  }

  /** A user, with the two parts of the name if it is that of a user of Active Directory. */
  public static Subject user(String username) {
    Map<Variable, String> values = new EnumMap<>(Variable.class);
    values.put(Variable.USERNAME, username);
    int backslash = username.indexOf('\\');
    if (backslash > 0 && backslash < username.length() - 1) {
      values.put(Variable.AD_DOMAIN, username.substring(0, backslash));
      values.put(Variable.AD_USER, username.substring(backslash + 1));
    }
    return new Subject(values);
  }

  /** Returns the same with a further value. */
  public Subject with(Variable variable, String value) {
    Map<Variable, String> more = new EnumMap<>(values);
    more.put(variable, value);
    return new Subject(more);
  }

  /**
   * Returns the value of a variable.
   *
   * @throws UndecidedException if it has none
   */
  String value(Variable variable) throws UndecidedException {
    String value = values.get(variable);
    if (value == null) {
      throw new UndecidedException(
          variable == Variable.AD_USER || variable == Variable.AD_DOMAIN
              ? "there is no ${%s}: the user name has not the form DOMAIN\\USER"
                  .formatted(variable.word())
              : "there is no ${%s}".formatted(variable.word()));
    }
    return value;
  }
}
