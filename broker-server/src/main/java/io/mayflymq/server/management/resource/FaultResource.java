package io.mayflymq.server.management.resource;

import io.mayflymq.server.channel.InjectedFaults;
import io.mayflymq.server.channel.InjectedFaults.Acks;
import io.mayflymq.server.channel.InjectedFaults.Confirms;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Body.Fields;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Faults of confirms and acknowledgements that the test of an application wants. They can be set if
 * the clock is moved by hand: no broker that does work of its own has such a clock.
 */
public final class FaultResource {
  private static final String CONFIRMS = "confirms";
  private static final String ACKS = "acks";

  private final ManagedBroker managed;
  private final InjectedFaults faults;

  public FaultResource(ManagedBroker managed, InjectedFaults faults) {
    this.managed = managed;
    this.faults = faults;
  }

  public void addTo(RequestRouter requestRouter) {
    requestRouter.get("faults", this::get).put("faults", this::set);
  }

  private Response get(Request request) {
    request.principal().requireMonitor();
    return Response.ok(json());
  }

  private Response set(Request request) {
    request.principal().requireAdministrator();
    if (managed.manualTime().isEmpty()) {
      throw ApiException.badRequest(
          "faults are for tests: expected a broker with clock = manual, and the clock of this one is"
              + " that of the machine");
    }
    Fields fields = request.body().fields();
    if (!fields.has(CONFIRMS) && !fields.has(ACKS)) {
      throw ApiException.badRequest("expected %s, %s or both".formatted(CONFIRMS, ACKS));
    }
    Confirms confirms = fate(fields, CONFIRMS, Confirms.values(), faults.confirms());
    Acks acks = fate(fields, ACKS, Acks.values(), faults.acks());
    faults.setConfirms(confirms);
    faults.setAcks(acks);
    return Response.ok(json());
  }

  private static <E extends Enum<E>> E fate(Fields fields, String name, E[] fates, E present) {
    if (!fields.has(name)) {
      return present;
    }
    String given = fields.requiredText(name);
    for (E fate : fates) {
      if (word(fate).equals(given)) {
        return fate;
      }
    }
    List<String> words = Arrays.stream(fates).map(FaultResource::word).toList();
    throw ApiException.badRequest(
        "%s is '%s': expected one of %s".formatted(name, given, String.join(", ", words)));
  }

  private Object json() {
    return Json.object(CONFIRMS, word(faults.confirms()), ACKS, word(faults.acks()));
  }

  private static String word(Enum<?> fate) {
    return fate.name().toLowerCase(Locale.ROOT);
  }
}
