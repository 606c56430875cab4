package io.mayflymq.it.rights;

import io.mayflymq.it.harness.Http;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Tries an operation of the API as every user of the fixture, and tells who can do it.
 *
 * <p>Answered with 401, 403 or 404 (everything is there that is asked for) an operation is refused.
 * A list is refused if it lacks what is the neighbour's, or what is in the virtual host, and the
 * administrator's list has it.
 */
final class HttpRights {
  private final RightsFixture fixture;
  private final Examples examples = new Examples();

  HttpRights(RightsFixture fixture) {
    this.fixture = fixture;
  }

  /** Returns the cells of a row, one for each tag; null if there is no such operation. */
  List<String> of(String operation) throws Exception {
    String method = operation.substring(0, operation.indexOf(' '));
    String template = operation.substring(operation.indexOf(' ') + 1);
    Example example = examples.of(operation);
    Trial trial = new Trial(method, template, example);
    fixture.connect(RightsFixture.NEIGHBOUR);
    Http.Reply byAdmin = trial.as(fixture.admin(), RightsFixture.NEIGHBOUR);
    if (byAdmin.status() == 401 // RabbitMQ has the path, and takes a form there
        || byAdmin.status() == 405
        || (byAdmin.status() == 404 && !example.isSuccess(byAdmin.status()))) {
      return null;
    }
    if (!example.isSuccess(byAdmin.status())) {
      throw new AssertionError(operation + " as guest: " + byAdmin);
    }
    String marker = method.equals("GET") ? marker(byAdmin) : null;
    List<String> cells = new ArrayList<>();
    for (String tag : RightsFixture.TAGS) {
      cells.add(cell(trial, tag, marker));
    }
    trial.prepare();
    return cells;
  }

  /** Returns a text that a list has only if it shows what is not the user's own. */
  private static String marker(Http.Reply byAdmin) {
    String body = byAdmin.raw().body();
    for (String marker : List.of(RightsFixture.NEIGHBOUR, RightsFixture.VHOST)) {
      if (body.contains(marker)) {
        return marker;
      }
    }
    return null;
  }

  private String cell(Trial trial, String tag, String marker) throws Exception {
    if (tag.equals(RightsFixture.NO_TAG)) {
      return trial.letsIn(tag, Access.EVERYTHING, marker) ? "yes" : "no";
    }
    if (trial.letsIn(tag, Access.FOREIGN, marker)) {
      return "yes";
    }
    if (!trial.letsIn(tag, Access.EVERYTHING, marker)) {
      return trial.letsInToOwn(tag, marker) ? "own" : "no";
    }
    List<Access> letIn = new ArrayList<>(List.of(Access.EVERYTHING));
    for (Access access : Access.partial()) {
      if (trial.letsIn(tag, access, marker)) {
        letIn.add(access);
      }
    }
    return Access.needed(letIn);
  }

  /** An operation that is repeated. */
  private final class Trial {
    private final String method;
    private final String template;
    private final Example example;
    private boolean fresh;

    Trial(String method, String template, Example example) {
      this.method = method;
      this.template = template;
      this.example = example;
    }

    void prepare() throws Exception {
      for (Example.Step step : example.before()) {
        String path = fixture.path(step.path(), example.names(), RightsFixture.NEIGHBOUR);
        fixture.admin().send(step.method(), "/api/" + path, step.body());
      }
      fresh = true;
    }

    Http.Reply as(Http user, String owner) throws Exception {
      return as(user, owner, example.names());
    }

    private Http.Reply as(Http user, String owner, Map<String, String> names) throws Exception {
      if (!fresh) {
        prepare();
      }
      String path = "/api/" + fixture.path(template, names, owner);
      Http.Reply reply = user.send(method, path, example.body());
      fresh = method.equals("GET") || reply.status() >= 300;
      return reply;
    }

    boolean letsIn(String tag, Access access, String marker) throws Exception {
      if (RightsFixture.NEIGHBOUR.equals(marker)) {
        fixture.connect(RightsFixture.NEIGHBOUR);
      }
      Http.Reply reply = as(fixture.as(tag, access), RightsFixture.NEIGHBOUR);
      return isLetIn(reply, tag, access) && shows(reply, marker);
    }

    /** Whether a user can do this to what is the user's own. */
    boolean letsInToOwn(String tag, String marker) throws Exception {
      String user = RightsFixture.userOf(tag, Access.EVERYTHING);
      boolean named = template.contains("{connection}") || template.contains("{channel}");
      boolean ofUser = template.matches("(connections/username|user-limits|users)/\\{user}.*");
      if (!named && !ofUser && marker == null) {
        return false;
      }
      if (ofUser && !method.equals("GET") && !template.startsWith("connections")) {
        return false; // it would change the user who tries
      }
      fixture.connect(user);
      Map<String, String> names = ofUser ? Map.of("user", user) : example.names();
      Http.Reply reply = as(fixture.as(tag, Access.EVERYTHING), user, names);
      return isLetIn(reply, tag, Access.EVERYTHING) && (marker == null || shows(reply, user));
    }

    private boolean shows(Http.Reply reply, String marker) {
      return marker == null || reply.raw().body().contains(marker);
    }

    private boolean isLetIn(Http.Reply reply, String tag, Access access) {
      int status = reply.status();
      if (status == 401 || status == 403) {
        return false;
      }
      if (example.isSuccess(status)) {
        return true;
      }
      if (status == 404 || reply.reason().startsWith("403 ACCESS_REFUSED")) {
        return false; // RabbitMQ answers 400 to a publish
      }
      throw new AssertionError(
          "%s %s as %s with %s: %d %s"
              .formatted(method, template, tag, access, status, reply.json()));
    }
  }
}
