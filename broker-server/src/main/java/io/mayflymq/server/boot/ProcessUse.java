package io.mayflymq.server.boot;

/** What a broker may take for its own of the process that it runs in. */
enum ProcessUse {
  /** All of it: its log, its options, the name of its node. */
  OWN,

  /**
   * Only threads, sockets and files. Other brokers may run beside it by the same classes, and share
   * the log and the name of the node with it.
   */
  SHARED
}
