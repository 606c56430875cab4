package io.mayflymq.server.definitions;

import io.mayflymq.core.admin.Administration;
import io.mayflymq.core.metadata.Actor;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.server.connection.ClusterName;
import io.mayflymq.server.json.JsonWriter;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exports and imports the definitions of a broker. Thread-safe, but not for event loops: large
 * documents take a while.
 */
public final class BrokerDefinitions {
  /** A global parameter for internal use by RabbitMQ and this broker. */
  public static final String IMPORTED_HASH = "imported_definition_hash_value";

  /** Global parameters that tell one broker from others. */
  static final Set<String> IDENTITY = Set.of(ClusterName.PARAMETER, ClusterName.ID);

  private static final Logger LOGGER = LoggerFactory.getLogger(BrokerDefinitions.class);

  private final Broker broker;
  private final Administration administration;
  private final PolicyDefinitions policies;

  /** Creates the definitions of a broker. */
  public BrokerDefinitions(Broker broker, Administration administration) {
    this.broker = broker;
    this.administration = administration;
    this.policies = new PolicyDefinitions(broker, administration.policies());
  }

  /** Exports all definitions in the format of RabbitMQ's {@code GET /api/definitions}. */
  public Map<String, Object> export() {
    return new DefinitionsExport(broker, administration, policies, null).write();
  }

  /**
   * Exports the definitions of one virtual host without its name in each item, so that they can be
   * imported into another one.
   *
   * @throws io.mayflymq.core.admin.AdministrationException NO_SUCH_VHOST
   */
  public Map<String, Object> export(String vhost) {
    administration.vhosts().get(vhost);
    return new DefinitionsExport(broker, administration, policies, vhost).write();
  }

  /**
   * Imports a document for the whole broker. Existing objects that differ are left unchanged,
   * except that users, permissions and parameters are replaced.
   *
   * @param json in UTF-8; read to its end, and not closed
   * @param strict whether one definition that is wrong fails the import; else it is left out, and
   *     the others are imported
   * @param actor who imports, and has declared its queues then
   * @return the imported and skipped items, completed when the import is safe; skipped items are
   *     logged. Fails with a {@link io.mayflymq.protocol.types.ConnectionException} 541 if the
   *     broker cannot make changes
   * @throws DefinitionsException if the document is no JSON object, or, if strict, something in it
   *     is wrong; then nothing was changed
   */
  public CompletableFuture<ImportReport> importAll(InputStream json, boolean strict, Actor actor)
      throws DefinitionsException {
    return run(DefinitionsReader.read(json, null, administration.users()::hash), strict, actor);
  }

  /**
   * Imports policies, parameters, exchanges, queues and bindings into one virtual host, whichever
   * virtual host the items name.
   *
   * @throws io.mayflymq.core.admin.AdministrationException NO_SUCH_VHOST
   * @throws DefinitionsException as in {@link #importAll}
   */
  public CompletableFuture<ImportReport> importInto(
      String vhost, InputStream json, boolean strict, Actor actor) throws DefinitionsException {
    administration.vhosts().get(vhost);
    return run(DefinitionsReader.read(json, vhost, administration.users()::hash), strict, actor);
  }

  /**
   * Makes this broker equal to another one: imports its definitions, and removes what they do not
   * have, or have otherwise. The identity of the broker stays. Waits until all is safe.
   *
   * @param document what {@link #export} of the other broker has
   * @return the imported and skipped items
   * @throws DefinitionsException if it is no document of definitions
   */
  public ImportReport mirror(Map<String, Object> document) throws DefinitionsException {
    Map<String, Object> wanted = new LinkedHashMap<>(document);
    if (wanted.get("global_parameters") instanceof List<?> parameters) {
      wanted.put(
          "global_parameters",
          parameters.stream()
              .filter(
                  each -> !(each instanceof Map<?, ?> one && IDENTITY.contains(one.get("name"))))
              .toList());
    }
    new DefinitionsMirror(broker, administration, parsed(export()), parsed(wanted)).prune();
    return run(parsed(wanted), false, Actor.BROKER).join();
  }

  private Definitions parsed(Map<String, Object> document) throws DefinitionsException {
    byte[] json = JsonWriter.text(document).getBytes(StandardCharsets.UTF_8);
    return DefinitionsReader.read(
        new ByteArrayInputStream(json), null, administration.users()::hash);
  }

  private CompletableFuture<ImportReport> run(Definitions definitions, boolean strict, Actor actor)
      throws DefinitionsException {
    return new DefinitionsImport(broker, administration, policies, definitions, strict, actor)
        .run()
        .thenApply(
            report -> {
              report.skipped().forEach(line -> LOGGER.warn("definitions: skipped {}", line));
              LOGGER.info(
                  "imported {} definitions, skipped {}",
                  report.imported(),
                  report.skipped().size());
              return report;
            });
  }
}
