package io.mayflymq.cluster.replication;

import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.cluster.link.LinkPort;
import io.mayflymq.cluster.replication.ReplicationMessage.ToFollower;
import io.mayflymq.cluster.replication.ReplicationMessage.ToLeader;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import java.util.function.Consumer;

/** A connection that another node, which leads, has opened to a replica of this one. */
final class LeaderLink implements LinkListener, Consumer<ToLeader> {
  /** What takes the messages of the leader. */
  interface Receiver {
    void received(ToFollower message, Consumer<ToLeader> answers);
  }

  private final Receiver receiver;
  private final ByteWriter body = new ByteWriter();
  private LinkPort port;

  LeaderLink(Receiver receiver) {
    this.receiver = receiver;
  }

  @Override
  public void up(LinkPort opened) {
    port = opened;
  }

  @Override
  public void frame(int type, ByteReader frame) {
    receiver.received(ReplicationCodec.readFromLeader(type, frame), this);
  }

  /** Sends an answer; a connection that is lost loses it. */
  @Override
  public void accept(ToLeader answer) {
    if (port != null) {
      port.send(ReplicationCodec.write(answer, body.clear()), body);
    }
  }

  @Override
  public void writable() {}

  @Override
  public void lost(String why) {
    port = null;
  }
}
