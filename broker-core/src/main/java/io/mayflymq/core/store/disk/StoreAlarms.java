package io.mayflymq.core.store.disk;

/** Hears of a store's troubles, on any thread. */
public interface StoreAlarms {
  /**
   * Something cannot be written, as on a full disk; nothing more is confirmed until it can be.
   *
   * @param what a few words on what it is
   */
  void raised(String what);

  /** It can be written again. */
  void cleared(String what);

  /** Hears nothing. */
  StoreAlarms NONE =
      new StoreAlarms() {
        @Override
        public void raised(String what) {}

        @Override
        public void cleared(String what) {}
      };
}
