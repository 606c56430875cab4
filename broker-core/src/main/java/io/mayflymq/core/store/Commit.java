package io.mayflymq.core.store;

/**
 * Who waits for what was written to be safe. Exactly one of the two is called, once, on any thread
 * that suits the store, unless the process ends before: in the order of the commits.
 */
public interface Commit {
  /** Everything appended before the commit is safe: it survives a crash. */
  void safe();

  /** The log has failed, or was closed while it was blocked: what was appended may be lost. */
  void failed();

  /** One of which nobody is told: for what is to be made safe by itself. */
  Commit UNTOLD =
      new Commit() {
        @Override
        public void safe() {}

        @Override
        public void failed() {}
      };
}
