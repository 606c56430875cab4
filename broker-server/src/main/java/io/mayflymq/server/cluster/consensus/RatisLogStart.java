package io.mayflymq.server.cluster.consensus;

import io.mayflymq.server.cluster.consensus.ConsensusSettings.StartMode;
import io.mayflymq.server.cluster.transport.CallService;
import io.mayflymq.server.cluster.transport.NodeCalls;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.storage.RaftStorage;

/** Puts together what works on the log of a member. */
final class RatisLogStart {
  private static final int MESSAGE_TIMEOUT_FACTOR = 2;
  private static final int RECENT_FACTOR = 3;
  private static final long FIRST_LEAD_SECONDS = 30;

  private final ConsensusSettings settings;
  private final NodeCalls calls;
  private final ConsensusThreads threads;
  private final RaftGroupId group;

  RatisLogStart(ConsensusSettings settings, NodeCalls calls, ConsensusThreads threads) {
    this.settings = settings;
    this.calls = calls;
    this.threads = threads;
    this.group = RaftGroupId.valueOf(settings.group());
  }

  /**
   * Starts the log.
   *
   * @throws ConsensusException if it cannot be read or locked
   */
  ReplicatedLog start(EntryApplier applier) throws ConsensusException {
    LogPosition before = applier.applied();
    OpenedLog opened = opened(applier, before);
    try {
      if (isBehind(opened.view(), before)) {
        opened.stop();
        deleteEntries();
        opened = opened(applier, before);
      }
      opened.recent().read(before == null ? -1 : before.index());
      return served(opened);
    } catch (IOException | ConsensusException e) {
      opened.close();
      throw failed(e);
    }
  }

  private OpenedLog opened(EntryApplier applier, LogPosition before) throws ConsensusException {
    CompletableFuture<ServerView> view = new CompletableFuture<>();
    Peers peers =
        new Peers(calls, (long) MESSAGE_TIMEOUT_FACTOR * settings.times().electionMaxMillis());
    AppliedEntries applied = new AppliedEntries(applier, before, threads.faults());
    RecentProposals recent =
        new RecentProposals(
            view,
            peers,
            settings.limits().keptEntries(),
            (long) RECENT_FACTOR * settings.times().proposalMillis());
    LogWatcher watcher = new LogWatcher(view, applied, recent, threads);
    RaftServer server = started(new EntryStateMachine(applied, watcher), peers);
    ServerView started = new ServerView(server, group, settings.self());
    view.complete(started);
    return new OpenedLog(started, peers, applied, recent, watcher, threads);
  }

  /**
   * Whether the log ends before the state: this node has fetched the state, and crashed before
   * Ratis has noticed. Ratis appends nothing to such a log.
   */
  private static boolean isBehind(ServerView view, LogPosition before) {
    TermIndex last = view.division().getRaftLog().getLastEntryTermIndex();
    return before != null && last != null && last.getIndex() < before.index();
  }

  /** Deletes the entries, which the state contains; the vote and the members stay. */
  private void deleteEntries() throws IOException {
    Path log = settings.directory().resolve(settings.group().toString()).resolve("current");
    try (DirectoryStream<Path> segments = Files.newDirectoryStream(log, "log_*")) {
      for (Path segment : segments) {
        Files.delete(segment);
      }
    }
  }

  private RaftServer started(EntryStateMachine machine, Peers peers) throws ConsensusException {
    RaftServer server = null;
    try {
      server =
          RaftServer.newBuilder()
              .setServerId(ServerView.id(settings.self()))
              .setGroup(firstMembers())
              .setStateMachine(machine)
              .setProperties(RatisProperties.of(settings))
              .setParameters(NodeRpcType.parameters(peers))
              .setOption(RaftStorage.StartupOption.RECOVER)
              .build();
      server.start();
      return server;
    } catch (IOException | RuntimeException e) {
      close(server);
      throw failed(e);
    }
  }

  private static void close(RaftServer server) {
    if (server != null) {
      try {
        server.close();
      } catch (IOException e) {
        // What has failed before is reported.
      }
    }
  }

  /** The members in force are those in the log, if it has some. */
  private RaftGroup firstMembers() {
    return settings.mode() == StartMode.BOOTSTRAP
        ? RaftGroup.valueOf(group, ServerView.peer(settings.self()))
        : RaftGroup.valueOf(group, new RaftPeer[0]);
  }

  private ReplicatedLog served(OpenedLog opened) throws ConsensusException {
    NodeRpcServer messages =
        new NodeRpcServer(opened.view().server(), opened.peers(), opened.recent(), threads);
    LeaderRequests requests = new LeaderRequests(opened.view(), opened.recent(), threads);
    calls.serve(CallService.CONSENSUS, (node, request) -> messages.answer(request));
    calls.serve(CallService.PROPOSAL, (node, request) -> requests.answer(request));
    if (settings.mode() == StartMode.BOOTSTRAP) {
      awaitLeading(opened.watcher().hasLed());
    }
    return new RatisLog(settings, opened, requests);
  }

  private void awaitLeading(CompletableFuture<Void> ready) throws ConsensusException {
    try {
      ready.get(FIRST_LEAD_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ConsensusException("the start was interrupted", e);
    } catch (ExecutionException | TimeoutException e) {
      throw new ConsensusException(
          "this node has not become the leader of a new cluster within %d seconds"
              .formatted(FIRST_LEAD_SECONDS),
          e);
    }
  }

  private ConsensusException failed(Exception e) {
    return e instanceof ConsensusException known ? known : Failures.notOpened(settings, e);
  }
}
