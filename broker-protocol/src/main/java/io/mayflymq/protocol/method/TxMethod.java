package io.mayflymq.protocol.method;

/** The methods of class tx (AMQP 0-9-1, class 90). */
public sealed interface TxMethod extends Method {
  int CLASS_ID = 90;

  @Override
  default int classId() {
    return CLASS_ID;
  }

  /** Reads the fields of a method of this class, or gives null if it has no such method. */
  static TxMethod read(int methodId, MethodReader in) {
    return switch (methodId) {
      case Select.METHOD_ID -> Select.INSTANCE;
      case SelectOk.METHOD_ID -> SelectOk.INSTANCE;
      case Commit.METHOD_ID -> Commit.INSTANCE;
      case CommitOk.METHOD_ID -> CommitOk.INSTANCE;
      case Rollback.METHOD_ID -> Rollback.INSTANCE;
      case RollbackOk.METHOD_ID -> RollbackOk.INSTANCE;
      default -> null;
    };
  }

  /**
   * Starts transaction mode: publishes and acknowledgements on the channel wait for a commit from
   * now on.
   */
  record Select() implements TxMethod {
    public static final int METHOD_ID = 10;
    public static final Select INSTANCE = new Select();

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** The answer to {@link Select}. */
  record SelectOk() implements TxMethod {
    public static final int METHOD_ID = 11;
    public static final SelectOk INSTANCE = new SelectOk();

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** Carries out what has waited. */
  record Commit() implements TxMethod {
    public static final int METHOD_ID = 20;
    public static final Commit INSTANCE = new Commit();

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** The answer to {@link Commit}. */
  record CommitOk() implements TxMethod {
    public static final int METHOD_ID = 21;
    public static final CommitOk INSTANCE = new CommitOk();

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** Forgets what has waited. */
  record Rollback() implements TxMethod {
    public static final int METHOD_ID = 30;
    public static final Rollback INSTANCE = new Rollback();

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** The answer to {@link Rollback}. */
  record RollbackOk() implements TxMethod {
    public static final int METHOD_ID = 31;
    public static final RollbackOk INSTANCE = new RollbackOk();

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }
}
