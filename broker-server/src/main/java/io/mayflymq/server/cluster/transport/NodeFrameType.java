package io.mayflymq.server.cluster.transport;

/** The types of frames that are not part of one service. Their codes never change. */
public final class NodeFrameType {
  /** Says that the node is there. Without body. */
  public static final int HEARTBEAT = 0;

  /** A request: its id (8 bytes), the code of the service (1), and what is asked. */
  public static final int REQUEST = 1;

  /** An answer: the id of the request (8 bytes), and the answer. */
  public static final int ANSWER = 2;

  /** A request failed: its id (8 bytes), and why, in UTF-8. */
  public static final int FAILURE = 3;

  /** The sender closes the connection: why, in UTF-8. */
  public static final int CLOSING = 4;

  /** Types from here on are those of connections that are not for requests. */
  public static final int FIRST_OF_QUEUES = 16;

  private NodeFrameType() {}
}
