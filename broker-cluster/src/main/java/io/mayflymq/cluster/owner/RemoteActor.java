package io.mayflymq.cluster.owner;

import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.metadata.Actor;

/** Who has asked something on another node. */
record RemoteActor(String user, String pid, String inWords) implements Actor {
  static RemoteActor read(ByteReader in) {
    return new RemoteActor(in.text(), in.text(), in.text());
  }
}
