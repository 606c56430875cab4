package io.mayflymq.server.json;

/** A thing that is written as another value. */
public interface JsonValue {
  /** Returns what is written. */
  Object json();
}
