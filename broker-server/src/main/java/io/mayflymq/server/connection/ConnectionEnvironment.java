package io.mayflymq.server.connection;

import io.mayflymq.core.security.AccessControl;
import io.mayflymq.core.security.SaslMechanism;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.server.alarm.Alarms;
import io.mayflymq.server.config.ProtocolSettings;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What all connections of a server share.
 *
 * @param broker the virtual hosts
 * @param accessControl who may do what
 * @param mechanisms the SASL mechanisms that are offered
 * @param settings what connections are offered and held to
 * @param alarms what blocks those that publish
 * @param open the connections that are open; safe for any thread
 */
public record ConnectionEnvironment(
    Broker broker,
    AccessControl accessControl,
    List<SaslMechanism> mechanisms,
    ProtocolSettings settings,
    Alarms alarms,
    Set<AmqpConnection> open) {

  /** An environment without connections. */
  public ConnectionEnvironment(
      Broker broker,
      AccessControl accessControl,
      List<SaslMechanism> mechanisms,
      ProtocolSettings settings,
      Alarms alarms) {
    this(broker, accessControl, mechanisms, settings, alarms, ConcurrentHashMap.newKeySet());
  }
}
