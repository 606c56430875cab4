package io.mayflymq.server.metrics;

import io.mayflymq.server.alarm.ResourceMonitors;
import io.mayflymq.server.connection.ConnectionEnvironment;
import java.nio.file.Path;

/**
 * The broker whose metrics are read.
 *
 * @param environment its virtual hosts, connections and alarms
 * @param monitors the limits of memory and disk
 * @param dataDir the directory whose disk has to have free space
 */
public record MeasuredBroker(
    ConnectionEnvironment environment, ResourceMonitors monitors, Path dataDir) {}
