package io.mayflymq.server.auth.ldap.query;

import java.util.ArrayList;
import java.util.List;

/**
 * Reads a term of Erlang: atoms, strings, binaries that are strings, tuples and lists; a comment
 * begins with {@code %}. Source: Erlang Reference Manual, "Data Types". For one text and one
 * thread.
 */
final class TermReader {
  private static final int MOST_LEVELS = 100;
  private static final String EXPECTED =
      "expected a term such as {in_group, \"cn=users,dc=example\"}";

  private final String source;
  private int at;

  TermReader(String source) {
    this.source = source;
  }

  /** Reads the whole text, which may end in a dot. */
  Term read() throws QueryException {
    Term term = term(0);
    skipBlanks();
    if (peek() == '.') {
      at++;
      skipBlanks();
    }
    if (at < source.length()) {
      throw problem(at, "expected the end behind the term, found '%s'".formatted(rest(at)));
    }
    return term;
  }

  /** Returns an error about a place of the text. */
  QueryException problem(int where, String what) {
    String before = source.substring(0, Math.min(where, source.length()));
    long line = before.chars().filter(c -> c == '\n').count() + 1;
    int column = before.length() - before.lastIndexOf('\n');
    return new QueryException(
        source.contains("\n")
            ? "line %d, column %d: %s".formatted(line, column, what)
            : "column %d: %s".formatted(column, what));
  }

  /** Returns the beginning of what follows a place, for an error. */
  String rest(int where) {
    String rest = source.substring(where).lines().findFirst().orElse("").strip();
    return rest.length() <= 40 ? rest : rest.substring(0, 40) + "...";
  }

  private Term term(int level) throws QueryException {
    skipBlanks();
    int begin = at;
    char c = peek();
    if (level > MOST_LEVELS) {
      throw problem(at, "expected at most %d levels".formatted(MOST_LEVELS));
    }
    if (c == '{') {
      return new Term.Tuple(begin, items('}', level));
    }
    if (c == '[') {
      return new Term.Sequence(begin, items(']', level));
    }
    if (c == '"') {
      return new Term.Text(begin, strings());
    }
    if (source.startsWith("<<", at)) {
      return new Term.Text(begin, binary());
    }
    if (c == '\'') {
      return new Term.Atom(begin, quoted('\''));
    }
    if (c >= 'a' && c <= 'z') {
      while (isOfAtom(peek())) {
        at++;
      }
      return new Term.Atom(begin, source.substring(begin, at));
    }
    throw problem(
        at, EXPECTED + (at == source.length() ? ", found the end" : ", found '" + rest(at) + "'"));
  }

  private static boolean isOfAtom(char c) {
    return Character.isLetterOrDigit(c) || c == '_' || c == '@';
  }

  private List<Term> items(char close, int level) throws QueryException {
    int begin = at++;
    List<Term> items = new ArrayList<>();
    skipBlanks();
    while (peek() != close) {
      if (!items.isEmpty()) {
        if (peek() != ',') {
          throw problem(
              at,
              at == source.length()
                  ? "the '%s' of %s is not closed: expected '%s'"
                      .formatted(source.charAt(begin), place(begin), close)
                  : "expected ',' or '%s', found '%s'".formatted(close, rest(at)));
        }
        at++;
      }
      items.add(term(level + 1));
      skipBlanks();
    }
    at++;
    return List.copyOf(items);
  }

  private String place(int where) {
    return problem(where, "").getMessage().replace(": ", "");
  }

  /** Strings that follow each other are one. */
  private String strings() throws QueryException {
    StringBuilder text = new StringBuilder();
    while (peek() == '"') {
      text.append(quoted('"'));
      skipBlanks();
    }
    return text.toString();
  }

  private String binary() throws QueryException {
    int begin = at;
    at += 2;
    skipBlanks();
    if (peek() != '"') {
      throw problem(at, "expected a string in <<...>>, found '%s'".formatted(rest(at)));
    }
    String text = strings();
    if (source.startsWith("/utf8", at)) {
      at += 5;
      skipBlanks();
    }
    if (!source.startsWith(">>", at)) {
      throw problem(begin, "the binary is not closed: expected >> behind its string");
    }
    at += 2;
    return text;
  }

  private String quoted(char quote) throws QueryException {
    int begin = at++;
    StringBuilder text = new StringBuilder();
    while (peek() != quote) {
      if (at >= source.length()) {
        throw problem(begin, "the text is not closed: expected %s at its end".formatted(quote));
      }
      char c = source.charAt(at++);
      if (c == '\\') {
        text.appendCodePoint(escaped());
      } else {
        text.append(c);
      }
    }
    at++;
    return text.toString();
  }

  private int escaped() throws QueryException {
    int begin = at - 1;
    char c = peek();
    at++;
    return switch (c) {
      case 'b' -> '\b';
      case 'd' -> 127;
      case 'e' -> 27;
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 's' -> ' ';
      case 't' -> '\t';
      case 'v' -> 11;
      case 'x' -> hexadecimal(begin);
      case '^' -> {
        char control = peek();
        at++;
        yield control & 31;
      }
      default -> c >= '0' && c <= '7' ? octal() : c;
    };
  }

  private int octal() {
    int begin = --at;
    while (at < begin + 3 && peek() >= '0' && peek() <= '7') {
      at++;
    }
    return Integer.parseInt(source.substring(begin, at), 8);
  }

  private int hexadecimal(int begin) throws QueryException {
    boolean isLong = peek() == '{';
    int from = isLong ? at + 1 : at;
    int to = isLong ? source.indexOf('}', from) : Math.min(from + 2, source.length());
    try {
      int point = Integer.parseInt(source.substring(from, Math.max(from, to)), 16);
      if (Character.isValidCodePoint(point)) {
        at = isLong ? to + 1 : to;
        return point;
      }
    } catch (NumberFormatException e) {
      // Reported below.
    }
    throw problem(begin, "expected \\xHH or \\x{HHHH} with hexadecimal digits");
  }

  private void skipBlanks() {
    while (at < source.length()
        && (Character.isWhitespace(source.charAt(at)) || source.charAt(at) == '%')) {
      if (source.charAt(at) == '%') {
        int end = source.indexOf('\n', at);
        at = end < 0 ? source.length() : end;
      } else {
        at++;
      }
    }
  }

  private char peek() {
    return at < source.length() ? source.charAt(at) : '\0';
  }
}
