package io.mayflymq.server.metrics;

import io.mayflymq.cluster.partition.ReplicaManager;
import io.mayflymq.server.alarm.ResourceMonitors;
import io.mayflymq.server.cluster.consensus.ConsensusStatus;
import io.mayflymq.server.connection.ConnectionEnvironment;
import io.mayflymq.server.standby.StandbyStatus;
import io.mayflymq.shovel.ShovelStatus;
import io.mayflymq.shovel.federation.LinkStatus;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The broker whose metrics are read.
 *
 * @param environment its virtual hosts, connections and alarms
 * @param monitors the limits of memory and disk
 * @param dataDir the directory whose disk has to have free space
 * @param consensus returns the state of the replicated log of metadata; null if there is none
 * @param replicas returns the replicas on this node; null if it is in no cluster
 * @param shovels returns those that run on this node
 * @param links returns those of federation that run on this node
 * @param standby returns how far this broker has come as a standby; nothing if it is none
 */
public record MeasuredBroker(
    ConnectionEnvironment environment,
    ResourceMonitors monitors,
    Path dataDir,
    Supplier<ConsensusStatus> consensus,
    Supplier<ReplicaManager> replicas,
    Supplier<List<ShovelStatus>> shovels,
    Supplier<List<LinkStatus>> links,
    Supplier<Optional<StandbyStatus>> standby) {}
