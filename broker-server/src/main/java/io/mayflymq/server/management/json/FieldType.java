package io.mayflymq.server.management.json;

/** What a field is, for those who show it otherwise than as JSON, or sort by it. */
public enum FieldType {
  /** A text; lists are sorted by it from A to Z. */
  TEXT,
  /** One of a few words, such as a state; an atom in Erlang's terms. Sorted as a text. */
  WORD,
  /** A number; the largest comes first. */
  NUMBER,
  /** A number that is 0 where the field is absent. */
  COUNT,
  /** True or false. */
  FLAG,
  /** A table of AMQP. */
  TABLE,
  /** The identifier of one of Erlang's processes. */
  PROCESS,
  /** An object, a list, or a value of several kinds. */
  OTHER;

  /** Returns whether lists are sorted by it from A to Z, not with the largest first. */
  public boolean isText() {
    return this == TEXT || this == WORD;
  }
}
