package io.mayflymq.server.connection;

import io.mayflymq.core.admin.GlobalParameters;
import io.mayflymq.core.runtime.LogLineLimit;
import io.mayflymq.core.security.AccessControl;
import io.mayflymq.core.security.SaslMechanism;
import io.mayflymq.core.security.Sessions;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.server.alarm.Alarms;
import io.mayflymq.server.alarm.ClientMemory;
import io.mayflymq.server.auth.AuthChain;
import io.mayflymq.server.channel.HeldClients;
import io.mayflymq.server.channel.InjectedFaults;
import io.mayflymq.server.config.ProtocolSettings;
import io.mayflymq.server.rate.ClientRates;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * What all connections of a server share.
 *
 * @param broker the virtual hosts
 * @param accessControl the users and permissions of the broker itself
 * @param logins by what users log in, and who decides what they may do
 * @param sessions the sessions of logged-in users, counted for limits
 * @param mechanisms the SASL mechanisms that are offered
 * @param protocol gives the current settings of the protocol
 * @param alarms the alarms, which block connections that publish
 * @param memory what is held for clients
 * @param parameters the global parameters; the cluster's name is one of them
 * @param linesBeforeLogin limits the log lines about clients that have not logged in
 * @param held holds them while a clock is moved by hand
 * @param faults the faults of confirms and acknowledgements that a test wants
 * @param open the connections whose handshake has begun and whose socket is open; safe for any
 *     thread
 * @param rates how fast users, and all in a virtual host, publish and get messages
 */
public record ConnectionEnvironment(
    Broker broker,
    AccessControl accessControl,
    AuthChain logins,
    Sessions sessions,
    List<SaslMechanism> mechanisms,
    Supplier<ProtocolSettings> protocol,
    Alarms alarms,
    ClientMemory memory,
    GlobalParameters parameters,
    LogLineLimit linesBeforeLogin,
    HeldClients held,
    InjectedFaults faults,
    Set<OpenConnection> open,
    ClientRates rates) {

  /** Creates an environment without connections. */
  public ConnectionEnvironment(
      Broker broker,
      AccessControl accessControl,
      AuthChain logins,
      Sessions sessions,
      List<SaslMechanism> mechanisms,
      Supplier<ProtocolSettings> protocol,
      Alarms alarms,
      GlobalParameters parameters) {
    this(
        broker,
        accessControl,
        logins,
        sessions,
        mechanisms,
        protocol,
        alarms,
        new ClientMemory(() -> protocol.get().clientMemoryBytes(Runtime.getRuntime().maxMemory())),
        parameters,
        ConnectionLog.limitOfStrangers(),
        new HeldClients(),
        new InjectedFaults(),
        ConcurrentHashMap.newKeySet(),
        new ClientRates(accessControl, broker));
  }

  /** Returns the same for connections that log in by other mechanisms. */
  public ConnectionEnvironment offering(List<SaslMechanism> others) {
    return new ConnectionEnvironment(
        broker,
        accessControl,
        logins,
        sessions,
        others,
        protocol,
        alarms,
        memory,
        parameters,
        linesBeforeLogin,
        held,
        faults,
        open,
        rates);
  }

  /** Returns the settings for a connection that is opened now. */
  public ProtocolSettings settings() {
    return protocol.get();
  }
}
