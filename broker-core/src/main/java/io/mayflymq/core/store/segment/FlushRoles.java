package io.mayflymq.core.store.segment;

/**
 * Which roles the threads of a {@link Flusher} have at present: at most one is the writer, and at
 * most one the forcer. Guarded by the lock of the flusher.
 *
 * <pre>{@code
 *             startWriter              becomeForcer
 * +------+ -------------> +---------+ -------------> +---------+
 * | IDLE |                | WRITING |                | FORCING |
 * +------+ <------------- +---------+ <------------- +---------+
 *           take: nothing      ^          forced       |     ^
 *                              |                       |     | take: nothing
 *                      forced  |      +------+         |     |
 *                              +----- | BOTH | <-------+     |
 *                                     +------+ startWriter   |
 *                                         |                  |
 *                                         +------------------+
 * }</pre>
 *
 * <p>The thread that has written becomes the forcer of that, and the writer's role is free for
 * another thread. If there is a forcer already, the writer goes on as such, or ends, and the forcer
 * has a writer look again when it is done.
 */
final class FlushRoles {
  private enum State {
    /** No thread has a role. */
    IDLE(false, false),
    /** A thread is the writer, or about to be. */
    WRITING(true, false),
    /** A thread forces what it wrote. */
    FORCING(false, true),
    /** One thread is the writer, or about to be, while another one forces. */
    BOTH(true, true);

    final boolean writes;
    final boolean forces;

    State(boolean writes, boolean forces) {
      this.writes = writes;
      this.forces = forces;
    }
  }

  private State state = State.IDLE;

  /** Whether there is something that no writer has taken. */
  private boolean requested;

  /** Whether the writer had something for the forcer while there was one. */
  private boolean refused;

  /** There is something for a writer to take. */
  void request() {
    requested = true;
  }

  /** Nothing of what was requested can be done now. */
  void withdraw() {
    requested = false;
  }

  /** Returns whether there is something that no writer has taken. */
  boolean isRequested() {
    return requested;
  }

  /** Returns whether no thread has a role, or is about to have one. */
  boolean isIdle() {
    return state == State.IDLE;
  }

  boolean isForcing() {
    return state.forces;
  }

  /**
   * Gives the writer's role to a new thread, unless a thread has it: to look whether there is
   * something.
   *
   * @return whether the caller has to start the thread
   */
  boolean startWriter() {
    if (state.writes) {
      return false;
    }
    requested = true;
    state = state.forces ? State.BOTH : State.WRITING;
    return true;
  }

  /** The writer takes what is requested; if nothing is, gives up its role and returns false. */
  boolean take() {
    if (!requested) {
      state = state.forces ? State.FORCING : State.IDLE;
      return false;
    }
    requested = false;
    return true;
  }

  /**
   * The writer has something for the forcer.
   *
   * @return whether there is one, which has a writer look again when it is done
   */
  boolean waitsForForcer() {
    refused = state.forces;
    return refused;
  }

  /** The writer becomes the forcer; only if there is none. */
  void becomeForcer() {
    state = State.FORCING;
  }

  /**
   * The forcer is done.
   *
   * @param again whether a writer has to look again, also if it had nothing for the forcer
   *     meanwhile
   * @return whether the thread is the writer now; else another one is
   */
  boolean forced(boolean again) {
    boolean becomesWriter = !state.writes;
    requested |= refused || again;
    refused = false;
    state = State.WRITING;
    return becomesWriter;
  }
}
