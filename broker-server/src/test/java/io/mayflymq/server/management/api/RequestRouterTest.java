package io.mayflymq.server.management.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RequestRouterTest {
  private final RequestRouter requestRouter =
      new RequestRouter()
          .get("queues", request -> Response.ok("all"))
          .get("queues/{vhost}/{queue}", request -> Response.ok(request.parameters()))
          .put("queues/{vhost}/{queue}", request -> Response.created())
          .get("connections/{a}/{b}", request -> Response.ok("any"))
          .get("connections/username/{user}", request -> Response.ok("user"));

  private Response handle(String method, String path) {
    Request request =
        new Request(
            method,
            Request.split(path),
            Map.of(),
            Map.of(),
            Map.of(),
            false,
            Body.EMPTY,
            Principal.CONTROL);
    RequestRouter.Found found = requestRouter.find(method, request.path());
    return found instanceof RequestRouter.Found.Handled route
        ? route.handler().handle(request.with(route.parameters(), Body.EMPTY))
        : ((RequestRouter.Found.Answered) found).response();
  }

  @Test
  void pathParametersAreDecoded() {
    assertThat(handle("GET", "queues/%2F/a%2Fb+c%20d").body())
        .isEqualTo(Map.of("vhost", "/", "queue", "a/b+c d"));
  }

  @Test
  void trailingSlashOfAPathIsIgnored() {
    assertThat(handle("GET", "queues/").body()).isEqualTo("all");
  }

  @Test
  void emptyPathPartIsAnEmptyName() {
    assertThat(handle("GET", "queues//q").body()).isEqualTo(Map.of("vhost", "", "queue", "q"));
  }

  @Test
  void literalPathPartTakesPrecedenceOverAParameter() {
    assertThat(handle("GET", "connections/username/guest").body()).isEqualTo("user");
    assertThat(handle("GET", "connections/c/channels").body()).isEqualTo("any");
  }

  @Test
  void wrongMethodIsAnsweredWithTheAllowedMethods() {
    Response refused = handle("POST", "queues/%2F/q");
    assertThat(refused.status()).isEqualTo(405);
    assertThat(refused.headers()).containsEntry("allow", "GET, HEAD, OPTIONS, PUT");
    assertThat(handle("OPTIONS", "queues/%2F/q").status()).isEqualTo(200);
    assertThat(handle("HEAD", "queues").body()).isEqualTo("all");
  }

  @Test
  void unknownPathIsNotFound() {
    for (String path : List.of("nope", "queues/a", "queues/a/b/c", "")) {
      assertThatThrownBy(() -> handle("GET", path))
          .isInstanceOfSatisfying(
              ApiException.class, error -> assertThat(error.status()).isEqualTo(404));
    }
  }

  @Test
  void malformedUrlEncodingIsABadRequest() {
    assertThatThrownBy(() -> handle("GET", "queues/%ZZ/q"))
        .isInstanceOfSatisfying(
            ApiException.class, error -> assertThat(error.status()).isEqualTo(400));
  }
}
