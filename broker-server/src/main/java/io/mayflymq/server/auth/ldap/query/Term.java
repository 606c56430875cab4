package io.mayflymq.server.auth.ldap.query;

import java.util.List;

/** A term of Erlang, of those that queries consist of. */
sealed interface Term {
  /** Returns where it begins in the text, counted from 0. */
  int at();

  /** A name: {@code true}, {@code 'not'}. */
  record Atom(int at, String name) implements Term {}

  /** {@code "text"} or {@code <<"text">>}. */
  record Text(int at, String text) implements Term {}

  /** <code>{a, b}</code>. */
  record Tuple(int at, List<Term> items) implements Term {}

  /** {@code [a, b]}. */
  record Sequence(int at, List<Term> items) implements Term {}
}
