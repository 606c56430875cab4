package io.mayflymq.server.management.resource;

import io.mayflymq.core.admin.AdministrationException;
import io.mayflymq.core.metadata.Actor;
import io.mayflymq.core.security.SecurityState.PermissionEntry;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.server.definitions.DefinitionsException;
import io.mayflymq.server.definitions.ImportReport;
import io.mayflymq.server.http.BodyLimit;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.EntityTag;
import io.mayflymq.server.management.api.FormData;
import io.mayflymq.server.management.api.Missing;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** Exports and imports definitions, of the broker or of a virtual host. For administrators. */
public final class DefinitionsResource {
  private final ManagedBroker managed;
  private final BodyLimit bodyLimit;

  /**
   * @param bodyLimit what a document may take
   */
  public DefinitionsResource(ManagedBroker managed, BodyLimit bodyLimit) {
    this.managed = managed;
    this.bodyLimit = bodyLimit;
  }

  public void addTo(RequestRouter requestRouter) {
    requestRouter
        .get("definitions", this::exportAll)
        .post("definitions", bodyLimit, this::importAll)
        .get("definitions/{vhost}", this::exportVhost)
        .post("definitions/{vhost}", bodyLimit, this::importVhost);
  }

  private Response exportAll(Request request) {
    request.principal().requireAdministrator();
    return document(request, managed.definitions().export());
  }

  private Response exportVhost(Request request) {
    request.principal().requireAdministrator();
    return document(request, managed.definitions().export(request.parameter("vhost")));
  }

  /** With {@code download} a browser keeps it in a file of that name. */
  private static Response document(Request request, Map<String, Object> document) {
    String file = request.query("download");
    Map<String, String> headers =
        file == null
            ? Map.of()
            : Map.of(
                "content-disposition",
                "attachment; filename=" + file.replaceAll("[^A-Za-z0-9._@-]", "_"));
    return EntityTag.tagged(request, new Response(200, document, headers));
  }

  private interface Import {
    CompletableFuture<ImportReport> begin(InputStream json, boolean strict, Actor actor)
        throws DefinitionsException;
  }

  private Response importAll(Request request) {
    request.principal().requireAdministrator();
    Set<String> before = vhosts();
    Response response = run(request, managed.definitions()::importAll);
    Set<String> added = vhosts();
    added.removeAll(before);
    added.removeAll(permitted(request.principal().user()));
    added.forEach(vhost -> managed.permitEverything(request.principal(), vhost));
    return response;
  }

  private Set<String> vhosts() {
    return managed.broker().virtualHosts().stream()
        .map(VirtualHost::name)
        .collect(Collectors.toCollection(HashSet::new));
  }

  /** Returns the virtual hosts that a user has permissions in. */
  private Set<String> permitted(String user) {
    return managed.administration().permissions().list().stream()
        .filter(entry -> entry.user().equals(user))
        .map(PermissionEntry::vhost)
        .collect(Collectors.toSet());
  }

  private Response importVhost(Request request) {
    request.principal().requireAdministrator();
    String vhost = request.parameter("vhost");
    try {
      return run(
          request,
          (json, strict, actor) -> managed.definitions().importInto(vhost, json, strict, actor));
    } catch (AdministrationException e) {
      throw ApiException.missing("vhost_not_found", Missing.other("vhost", vhost));
    }
  }

  /**
   * Runs an import of a document: the body, or the part {@code file} of a form. The response is 204
   * as in RabbitMQ if everything was imported, otherwise 200 with what was skipped: clients of
   * RabbitMQ take both for success. With {@code report=true} it always has a body. With {@code
   * strict=true} one definition that is wrong fails all: 400.
   */
  private static Response run(Request request, Import wanted) {
    if (!FormData.isIn(request)) {
      return run(request, request.body().open(), wanted);
    }
    try (FormData form = new FormData(request)) {
      return run(request, form.part("file"), wanted);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Response run(Request request, InputStream json, Import wanted) {
    try {
      ImportReport report =
          Futures.await(
              wanted.begin(json, "true".equals(request.query("strict")), request.principal()));
      return report.skipped().isEmpty() && !"true".equals(request.query("report"))
          ? Response.noContent()
          : Response.ok(Json.object("imported", report.imported(), "skipped", report.skipped()));
    } catch (DefinitionsException e) {
      throw ApiException.badRequest(String.join("\n", e.problems()));
    }
  }
}
