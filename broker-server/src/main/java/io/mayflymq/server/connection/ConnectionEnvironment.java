package io.mayflymq.server.connection;

import io.mayflymq.core.admin.GlobalParameters;
import io.mayflymq.core.security.AccessControl;
import io.mayflymq.core.security.SaslMechanism;
import io.mayflymq.core.security.Sessions;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.server.alarm.Alarms;
import io.mayflymq.server.config.ProtocolSettings;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * What all connections of a server share.
 *
 * @param broker the virtual hosts
 * @param accessControl who may do what
 * @param sessions those that are logged in, counted for limits
 * @param mechanisms the SASL mechanisms that are offered
 * @param protocol what connections are offered and held to, at the moment
 * @param alarms what blocks those that publish
 * @param parameters what operators named; the cluster's name is one of them
 * @param strangers limits what the log is told about clients that have not logged in
 * @param open the connections that are open; safe for any thread
 */
public record ConnectionEnvironment(
    Broker broker,
    AccessControl accessControl,
    Sessions sessions,
    List<SaslMechanism> mechanisms,
    Supplier<ProtocolSettings> protocol,
    Alarms alarms,
    GlobalParameters parameters,
    LineLimit strangers,
    Set<AmqpConnection> open) {

  /** An environment without connections. */
  public ConnectionEnvironment(
      Broker broker,
      AccessControl accessControl,
      Sessions sessions,
      List<SaslMechanism> mechanisms,
      Supplier<ProtocolSettings> protocol,
      Alarms alarms,
      GlobalParameters parameters) {
    this(
        broker,
        accessControl,
        sessions,
        mechanisms,
        protocol,
        alarms,
        parameters,
        ConnectionLog.limitOfStrangers(),
        ConcurrentHashMap.newKeySet());
  }

  /** What a connection that begins now is offered and held to. */
  ProtocolSettings settings() {
    return protocol.get();
  }
}
