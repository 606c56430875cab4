package io.mayflymq.core.store;

/**
 * Is notified when what was written is safe. Unless the process ends before, exactly one of the two
 * methods is called, once, on a thread that the store chooses, in the order of the commits.
 */
public interface Commit {
  /** Everything appended before the commit is safe: it survives a crash. */
  void safe();

  /** The log has failed, or was closed while it was blocked: what was appended may be lost. */
  void failed();

  /** A commit without notification: for data that is to be made safe by itself. */
  Commit UNAWAITED =
      new Commit() {
        @Override
        public void safe() {}

        @Override
        public void failed() {}
      };
}
