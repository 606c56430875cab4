package io.mayflymq.server.auth.ldap.query;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;

/**
 * A text with variables, such as <code>cn=${vhost}-users,ou=groups</code>. What a variable stands
 * for is text: nothing in it separates the parts of a distinguished name or means something in a
 * regular expression. Immutable.
 */
public final class Template {
  /**
   * A piece of the text.
   *
   * @param variable null for a piece that is fixed
   * @param text a fixed piece
   */
  private record Part(Variable variable, String text) {}

  private final String source;
  private final List<Part> parts;

  private Template(String source, List<Part> parts) {
    this.source = source;
    this.parts = List.copyOf(parts);
  }

  /**
   * Reads a text.
   *
   * @param known the variables that it can have
   * @throws QueryException if it has another one
   */
  public static Template of(String source, Set<Variable> known) throws QueryException {
    List<Part> parts = new ArrayList<>();
    int at = 0;
    while (at < source.length()) {
      int open = source.indexOf("${", at);
      int close = open < 0 ? -1 : source.indexOf('}', open);
      if (close < 0) {
        parts.add(new Part(null, source.substring(at)));
        break;
      }
      if (open > at) {
        parts.add(new Part(null, source.substring(at, open)));
      }
      String word = source.substring(open + 2, close);
      Variable variable =
          Variable.of(word, known)
              .orElseThrow(
                  () ->
                      new QueryException(
                          "unknown variable ${%s}: expected one of %s"
                              .formatted(word, Variable.words(known))));
      parts.add(new Part(variable, null));
      at = close + 1;
    }
    return new Template(source, parts);
  }

  /** Returns whether it is the same for every subject. */
  public boolean isFixed() {
    return parts.stream().allMatch(part -> part.variable() == null);
  }

  /**
   * Returns whether it may be a distinguished name: whether it is one with some text for each
   * variable, or a variable alone.
   */
  public boolean mayBeDn() {
    StringBuilder filled = new StringBuilder();
    for (Part part : parts) {
      boolean isName = part.variable() == Variable.USER_DN && !filled.toString().endsWith("=");
      filled.append(part.variable() == null ? part.text() : isName ? "cn=x" : "x");
    }
    return (parts.size() == 1 && parts.get(0).variable() != null) || isDn(filled.toString());
  }

  /** Returns whether a text is a distinguished name that is not empty. */
  public static boolean isDn(String text) {
    try {
      return !new LdapName(text).isEmpty();
    } catch (InvalidNameException e) {
      return false;
    }
  }

  /** Returns the text with all values as they are. */
  public String fill(Subject subject) throws UndecidedException {
    StringBuilder filled = new StringBuilder();
    for (Part part : parts) {
      filled.append(part.variable() == null ? part.text() : subject.value(part.variable()));
    }
    return filled.toString();
  }

  /**
   * Returns the text as a distinguished name. A value is escaped (RFC 4514), unless it is one
   * itself: that of <code>${user_dn}</code> where a name can begin, and the only variable of a text
   * that is nothing else.
   */
  public String fillDn(Subject subject) throws UndecidedException {
    StringBuilder filled = new StringBuilder();
    for (Part part : parts) {
      if (part.variable() == null) {
        filled.append(part.text());
        continue;
      }
      String value = subject.value(part.variable());
      String before = filled.toString().strip();
      boolean isName =
          parts.size() == 1
              || (part.variable() == Variable.USER_DN
                  && (before.isEmpty() || before.endsWith(",") || before.endsWith(";")));
      filled.append(isName ? value : escapedForDn(value));
    }
    return filled.toString();
  }

  /**
   * Returns the text as what a user is bound by: a distinguished name if it is written as one, or
   * else a name of another kind, such as that of a user of Active Directory.
   */
  public String fillBindName(Subject subject) throws UndecidedException {
    boolean isDn =
        parts.stream().anyMatch(part -> part.text() != null && part.text().contains("="));
    return isDn ? fillDn(subject) : fill(subject);
  }

  /** Returns the text as a regular expression, which finds values as they are. */
  String fillRegex(Subject subject) throws UndecidedException {
    StringBuilder filled = new StringBuilder();
    for (Part part : parts) {
      filled.append(
          part.variable() == null ? part.text() : escapedForRegex(subject.value(part.variable())));
    }
    return filled.toString();
  }

  /** Source: RFC 4514, 2.4. */
  private static String escapedForDn(String value) {
    StringBuilder escaped = new StringBuilder();
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      boolean isOuterBlank = c == ' ' && (i == 0 || i == value.length() - 1);
      if (c < ' ') {
        escaped.append("\\%02x".formatted((int) c));
      } else if ("\"+,;<>\\".indexOf(c) >= 0 || isOuterBlank || (c == '#' && i == 0)) {
        escaped.append('\\').append(c);
      } else {
        escaped.append(c);
      }
    }
    return escaped.toString();
  }

  private static String escapedForRegex(String value) {
    StringBuilder escaped = new StringBuilder();
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c < 128 && !Character.isLetterOrDigit(c)) {
        escaped.append('\\');
      }
      escaped.append(c);
    }
    return escaped.toString();
  }

  /** Returns the text as it was written. */
  @Override
  public String toString() {
    return source;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Template that && source.equals(that.source);
  }

  @Override
  public int hashCode() {
    return source.hashCode();
  }
}
