package io.mayflymq.server.definitions;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.mayflymq.core.admin.Administration;
import io.mayflymq.core.vhost.Broker;
import java.io.InputStream;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exports the definitions of a broker, and imports others into it. Any thread may call, but better
 * not an event loop: large documents take a while.
 */
public final class BrokerDefinitions {
  private static final Logger LOGGER = LoggerFactory.getLogger(BrokerDefinitions.class);

  private final Broker broker;
  private final Administration administration;
  private final PolicyDefinitions policies;

  /** The definitions of a broker. */
  public BrokerDefinitions(Broker broker, Administration administration) {
    this.broker = broker;
    this.administration = administration;
    this.policies = new PolicyDefinitions(broker);
  }

  /** Everything, as {@code GET /api/definitions} of RabbitMQ has it. */
  public ObjectNode export() {
    return new DefinitionsExport(broker, administration, policies, null).write();
  }

  /**
   * Returns what is in one virtual host, without its name in each item, so that it can be imported
   * into another one.
   *
   * @throws io.mayflymq.core.admin.AdministrationException NO_SUCH_VHOST
   */
  public ObjectNode export(String vhost) {
    administration.vhosts().get(vhost);
    return new DefinitionsExport(broker, administration, policies, vhost).write();
  }

  /**
   * Imports a document for the whole broker. What exists and is declared otherwise stays as it is;
   * users, permissions and parameters are replaced.
   *
   * @param json UTF-8; read to its end, and not closed
   * @return what was imported and what was skipped, when it is safe; skipped items are logged
   * @throws DefinitionsException if something in the document is wrong; then nothing was changed
   */
  public CompletableFuture<ImportReport> importAll(InputStream json) throws DefinitionsException {
    return run(DefinitionsReader.read(json, null));
  }

  /**
   * Imports policies, parameters, exchanges, queues and bindings into one virtual host, whichever
   * they name themselves.
   *
   * @throws io.mayflymq.core.admin.AdministrationException NO_SUCH_VHOST
   * @throws DefinitionsException if something in the document is wrong; then nothing was changed
   */
  public CompletableFuture<ImportReport> importInto(String vhost, InputStream json)
      throws DefinitionsException {
    administration.vhosts().get(vhost);
    return run(DefinitionsReader.read(json, vhost));
  }

  private CompletableFuture<ImportReport> run(Definitions definitions) throws DefinitionsException {
    return new DefinitionsImport(broker, administration, policies, definitions)
        .run()
        .thenApply(
            report -> {
              report.skipped().forEach(line -> LOGGER.warn("definitions: skipped {}", line));
              LOGGER.info("imported {} definitions", report.imported());
              return report;
            });
  }
}
