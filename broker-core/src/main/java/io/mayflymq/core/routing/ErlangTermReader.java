package io.mayflymq.core.routing;

import java.util.ArrayList;
import java.util.List;

/**
 * Reads one Erlang term from its text, as far as selectors consist of them: tuples, lists, atoms,
 * binaries of one string, integers and floats. A full stop may follow.
 *
 * <p>A tuple becomes a {@link Tuple}, a list a {@link List}, an atom an {@link Atom}, a binary a
 * {@link String}, a number a {@link Long} or a {@link Double}.
 */
final class ErlangTermReader {
  /** How deep terms may be nested: a selector with so many conditions is not written by hand. */
  static final int DEEPEST = 500;

  record Atom(String name) {}

  record Tuple(List<Object> elements) {}

  /** The text is no term; the message says why and where. */
  static final class SyntaxException extends Exception {
    private static final long serialVersionUID = 1;

    SyntaxException(String message) {
      super(message, null, false, false);
    }
  }

  private final String text;
  private int position;
  private int depth;

  private ErlangTermReader(String text) {
    this.text = text;
  }

  static Object read(String text) throws SyntaxException {
    ErlangTermReader reader = new ErlangTermReader(text);
    Object term = reader.term();
    reader.accept('.');
    reader.skipSpace();
    if (reader.position < text.length()) {
      throw reader.expected("the end");
    }
    return term;
  }

  private Object term() throws SyntaxException {
    skipSpace();
    if (position == text.length()) {
      throw expected("a term");
    }
    char next = text.charAt(position);
    if (next == '{') {
      return new Tuple(elements('{', '}'));
    }
    if (next == '[') {
      return elements('[', ']');
    }
    if (next == '<') {
      return binary();
    }
    if (next == '\'') {
      return new Atom(quoted('\''));
    }
    if (next >= 'a' && next <= 'z') {
      return new Atom(plainAtom());
    }
    return number();
  }

  private List<Object> elements(char open, char close) throws SyntaxException {
    if (++depth > DEEPEST) {
      throw new SyntaxException("nested deeper than " + DEEPEST + " at character " + position);
    }
    expect(open);
    List<Object> elements = new ArrayList<>();
    if (!accept(close)) {
      do {
        elements.add(term());
      } while (accept(','));
      expect(close);
    }
    depth--;
    return elements;
  }

  private String binary() throws SyntaxException {
    expect('<');
    expect('<');
    skipSpace();
    String content = position < text.length() && text.charAt(position) == '"' ? quoted('"') : "";
    expect('>');
    expect('>');
    return content;
  }

  private String quoted(char quote) throws SyntaxException {
    expect(quote);
    StringBuilder content = new StringBuilder();
    while (position < text.length()) {
      char next = text.charAt(position++);
      if (next == quote) {
        return content.toString();
      }
      if (next == '\\' && position < text.length()) {
        next = escaped(text.charAt(position++));
      }
      content.append(next);
    }
    throw expected(String.valueOf(quote));
  }

  private static char escaped(char character) {
    return switch (character) {
      case 'b' -> '\b';
      case 'd' -> '\177';
      case 'e' -> '\033';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 's' -> ' ';
      case 't' -> '\t';
      case 'v' -> '\013';
      default -> character;
    };
  }

  private String plainAtom() {
    int start = position;
    while (position < text.length() && isAtomPart(text.charAt(position))) {
      position++;
    }
    return text.substring(start, position);
  }

  private static boolean isAtomPart(char c) {
    return c == '_' || c == '@' || (c < 128 && Character.isLetterOrDigit(c));
  }

  private Object number() throws SyntaxException {
    int start = position;
    while (position < text.length() && isNumberPart(start)) {
      position++;
    }
    String digits = text.substring(start, position);
    try {
      return digits.matches("[+-]?[0-9]+") ? (Object) Long.valueOf(digits) : floating(digits);
    } catch (NumberFormatException e) {
      position = start;
      throw expected("a term");
    }
  }

  private static Double floating(String digits) {
    // Without this it would also take what is no Erlang: 1d, NaN, hexadecimal.
    if (!digits.matches("[+-]?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?")) {
      throw new NumberFormatException(digits);
    }
    return Double.valueOf(digits);
  }

  /** A full stop without a digit behind it ends the term. */
  private boolean isNumberPart(int start) {
    char c = text.charAt(position);
    if (c == '.') {
      return position + 1 < text.length() && Character.isDigit(text.charAt(position + 1));
    }
    if (c == '+' || c == '-') {
      return position == start || "eE".indexOf(text.charAt(position - 1)) >= 0;
    }
    return (c >= '0' && c <= '9') || c == 'e' || c == 'E';
  }

  private void expect(char wanted) throws SyntaxException {
    if (!accept(wanted)) {
      throw expected(String.valueOf(wanted));
    }
  }

  private boolean accept(char wanted) {
    skipSpace();
    boolean isThere = position < text.length() && text.charAt(position) == wanted;
    position += isThere ? 1 : 0;
    return isThere;
  }

  private void skipSpace() {
    while (position < text.length() && Character.isWhitespace(text.charAt(position))) {
      position++;
    }
  }

  private SyntaxException expected(String what) {
    return new SyntaxException("expected " + what + " at character " + position);
  }
}
