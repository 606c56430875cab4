package io.mayflymq.server.cluster.consensus;

import org.apache.ratis.conf.Parameters;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.ServerFactory;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;

/** How Ratis sends: by requests between nodes. Ratis creates it by the name of its class. */
final class NodeRpcType implements RpcType {
  private static final String KEY = "peers";

  /** For Ratis. */
  public NodeRpcType() {}

  /** Returns the parameters by which Ratis hands over what the factory needs. */
  public static Parameters parameters(Peers peers) {
    Parameters parameters = new Parameters();
    parameters.put(KEY, peers, Peers.class);
    return parameters;
  }

  @Override
  public String name() {
    // Ratis looks a type that is not its own up by this name.
    return NodeRpcType.class.getName();
  }

  @Override
  public RpcFactory newFactory(Parameters parameters) {
    return new Factory(this, parameters.getNonNull(KEY, Peers.class));
  }

  private record Factory(RpcType type, Peers peers) implements ServerFactory {
    @Override
    public RpcType getRpcType() {
      return type;
    }

    @Override
    public LogAppender newLogAppender(
        RaftServer.Division server, LeaderState state, FollowerInfo follower) {
      return new FollowerSender(server, state, follower, peers);
    }

    @Override
    public RaftServerRpc newRaftServerRpc(RaftServer server) {
      return new NodeRpc(type, peers);
    }
  }
}
