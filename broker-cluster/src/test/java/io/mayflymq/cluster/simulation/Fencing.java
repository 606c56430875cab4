package io.mayflymq.cluster.simulation;

import io.mayflymq.cluster.replication.ReplicationMessage.Forced;
import io.mayflymq.cluster.replication.ReplicationMessage.Refused;
import io.mayflymq.cluster.replication.ReplicationMessage.ToLeader;

/**
 * How a leader is kept from going on when there is a later one. It can be switched off, to show
 * that this is found: the network changes then what followers answer.
 */
enum Fencing {
  ON,

  /** A leader is not refused: it is told that all was forced. */
  NO_EPOCHS {
    @Override
    ToLeader arriving(ToLeader answer) {
      return answer instanceof Refused refused
          ? new Forced(refused.epoch(), Long.MAX_VALUE, 0)
          : answer;
    }
  },

  /** A leader's lease does not end. */
  NO_LEASE {
    @Override
    ToLeader arriving(ToLeader answer) {
      return answer instanceof Forced told
          ? new Forced(told.epoch(), told.forced(), Long.MAX_VALUE / 2)
          : answer;
    }
  };

  /** Returns what arrives when a follower has sent an answer. */
  ToLeader arriving(ToLeader answer) {
    return answer;
  }
}
