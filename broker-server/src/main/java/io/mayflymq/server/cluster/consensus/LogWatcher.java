package io.mayflymq.server.cluster.consensus;

import io.mayflymq.core.runtime.Causes;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.util.LifeCycle.State;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reacts to what happens to the log: tells listeners, fetches state. Any thread may call. */
final class LogWatcher {
  private static final Logger LOGGER = LoggerFactory.getLogger(LogWatcher.class);
  private static final String WHAT = "the log of the cluster";

  /** Ratis says why it has ended only after it has. */
  private static final long REASON_MILLIS = 1_000;

  private final CompletableFuture<ServerView> view;
  private final AppliedEntries applied;
  private final RecentProposals recent;
  private final ConsensusThreads threads;
  private final List<ConsensusListener> listeners = new CopyOnWriteArrayList<>();
  private final CompletableFuture<Void> ready = new CompletableFuture<>();
  private volatile boolean ending;

  /** Of the thread that tells listeners. */
  private List<Member> logged = List.of();

  /** A leader that was not told of, as its name is not known yet; null if there is none. */
  private RaftPeerId nameless;

  LogWatcher(
      CompletableFuture<ServerView> view,
      AppliedEntries applied,
      RecentProposals recent,
      ConsensusThreads threads) {
    this.view = view;
    this.applied = applied;
    this.recent = recent;
    this.threads = threads;
  }

  /** Returns what is done when this member has led for the first time. */
  CompletableFuture<Void> hasLed() {
    return ready;
  }

  /** Adds a listener; it is told the present state first. */
  void listen(ConsensusListener listener) {
    tell(
        server -> {
          listeners.add(listener);
          listener.membersChanged(server.members());
          String leader = server.leader();
          if (leader != null) {
            listener.leaderChanged(change(server, leader));
          }
        });
  }

  private static LeaderChange change(ServerView server, String leader) {
    var info = server.division().getInfo();
    boolean here = leader.equals(server.self().name());
    return new LeaderChange(leader, info.getCurrentTerm(), here && info.isLeaderReady());
  }

  private void tell(Consumer<ServerView> work) {
    view.thenAccept(server -> threads.tell(() -> work.accept(server)));
  }

  private void changed(LeaderChange change) {
    listeners.forEach(listener -> listener.leaderChanged(change));
  }

  /** Another member leads. */
  void leaderChanged(RaftPeerId leader) {
    tell(server -> leads(server, leader));
  }

  private void leads(ServerView server, RaftPeerId leader) {
    String name = server.name(leader);
    // A new member knows its leader before it knows the members.
    nameless = name == null ? leader : null;
    if (name != null) {
      long term = server.division().getInfo().getCurrentTerm();
      LOGGER.info("{} leads the cluster's metadata in term {}", name, term);
      changed(new LeaderChange(name, term, false));
    }
  }

  /** This member leads, and has applied all entries of earlier terms. */
  void ready() {
    ready.complete(null);
    tell(
        server -> {
          long term = server.division().getInfo().getCurrentTerm();
          LOGGER.info("this node leads the cluster's metadata in term {}", term);
          changed(new LeaderChange(server.self().name(), term, true));
        });
  }

  /** This member does not lead any more. */
  void notLeader() {
    tell(
        server -> {
          long term = server.division().getInfo().getCurrentTerm();
          LOGGER.info("this node has stopped leading the cluster's metadata in term {}", term);
          changed(new LeaderChange(null, term, false));
        });
  }

  /** Other members are in force. */
  void membersChanged() {
    tell(
        server -> {
          List<Member> members = server.members();
          // A change has two steps, and a follower is told of each twice.
          if (!members.equals(logged)) {
            logged = members;
            LOGGER.info("the members of the cluster are {}", members);
          }
          listeners.forEach(listener -> listener.membersChanged(members));
          if (nameless != null) {
            leads(server, nameless);
          }
        });
  }

  /**
   * The leader's log does not reach back to what this member has.
   *
   * @param leader the name of the leader's node
   * @return the position of the state that was fetched; null if there was none
   */
  CompletableFuture<LogPosition> stateNeeded(String leader) {
    CompletableFuture<LogPosition> fetched = new CompletableFuture<>();
    threads.alone("consensus-state", () -> fetch(leader, fetched));
    return fetched;
  }

  private void fetch(String leader, CompletableFuture<LogPosition> fetched) {
    LOGGER.info("fetching the cluster's metadata from {}: its log begins too late", leader);
    try {
      LogPosition position = applied.fetch(leader);
      if (position != null) {
        recent.fetch(leader).get();
        LOGGER.info("fetched the cluster's metadata from {}: entry {}", leader, position);
      }
      fetched.complete(position);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      fetched.completeExceptionally(e);
    } catch (Exception e) {
      Throwable cause = Causes.of(e);
      LOGGER.warn(
          "the cluster's metadata was not fetched from {}: {}", leader, Failures.text(cause));
      fetched.completeExceptionally(cause);
    }
  }

  /** The log cannot be written. */
  void failed(Throwable cause) {
    if (ending) {
      return;
    }
    ending = true;
    String text = WHAT + " cannot be written: " + Failures.text(cause);
    threads.faults().fatal(WHAT, new IOException(text, cause));
    // Where that returns, this node must not go on leading.
    view.thenAccept(server -> threads.alone("consensus-end", server.division()::close));
  }

  /** The leader has told this member that it is none any more. */
  void removed() {
    ending = true;
    LOGGER.warn("this node was removed from the cluster");
    tell(server -> listeners.forEach(listener -> listener.membersChanged(others(server))));
  }

  private static List<Member> others(ServerView server) {
    return server.members().stream().filter(member -> !member.equals(server.self())).toList();
  }

  /** Ratis ends its work, on request or by itself. */
  void closed() {
    threads.after("the end of the consensus", REASON_MILLIS, this::lookForReason);
  }

  private void lookForReason() {
    ServerView server = view.getNow(null);
    boolean isClosing =
        server != null && server.division().getInfo().getLifeCycleState() == State.CLOSING;
    if (isClosing) {
      closed();
    } else if (!ending) {
      threads.faults().fatal(WHAT, new IllegalStateException("its work has ended"));
    }
  }

  /** Expects Ratis to end from now on. */
  void end() {
    ending = true;
  }
}
