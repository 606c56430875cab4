package io.mayflymq.core.store.disk;

/** Is notified of a store's problems, on any thread. */
public interface StoreAlarms {
  /**
   * Something cannot be written, as on a full disk; nothing more is confirmed until it can be
   * written.
   *
   * @param what its name, in a few words
   * @param detail why, and where
   */
  void raised(String what, String detail);

  /**
   * It can be written again, or is not to be written any more.
   *
   * @param what its name, as it was raised
   * @param detail which of the two
   */
  void cleared(String what, String detail);

  /** It has failed: nothing of it is confirmed any more until the broker is restarted. */
  void failed(String what, String detail);
}
