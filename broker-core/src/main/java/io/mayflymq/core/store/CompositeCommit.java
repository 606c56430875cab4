package io.mayflymq.core.store;

/** A commit of what is in two logs: notifies another commit when both logs have reported. */
public final class CompositeCommit implements Commit {
  private final Commit commit;
  private boolean heardOfOne;
  private boolean failed;

  /** Creates a commit that notifies another one. */
  public CompositeCommit(Commit commit) {
    this.commit = commit;
  }

  @Override
  public void safe() {
    heard(false);
  }

  @Override
  public void failed() {
    heard(true);
  }

  private void heard(boolean failure) {
    boolean ofBoth;
    boolean anyFailed;
    synchronized (this) {
      ofBoth = heardOfOne;
      heardOfOne = true;
      failed |= failure;
      anyFailed = failed;
    }
    if (!ofBoth) {
      return;
    }
    if (anyFailed) {
      commit.failed();
    } else {
      commit.safe();
    }
  }
}
