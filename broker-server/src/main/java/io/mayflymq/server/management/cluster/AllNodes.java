package io.mayflymq.server.management.cluster;

import io.mayflymq.core.runtime.Causes;
import io.mayflymq.server.http.Workers;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the other nodes of the cluster. One that does not answer in time is left out. The methods
 * that wait are for threads that answer requests.
 */
public final class AllNodes {
  /** How long a node may take for an answer, in ms. */
  static final long MILLIS = 2_000;

  private static final Logger LOGGER = LoggerFactory.getLogger(AllNodes.class);
  private static final long PATIENCE_MILLIS = 60_000;
  private static final int NOT_FOUND = 404;

  private final NodeQuestions others;

  public AllNodes(NodeQuestions others) {
    this.others = others;
  }

  /** Returns whether no other node can be asked. */
  public boolean isAlone() {
    return others.reachable().isEmpty();
  }

  /** Returns the names of the nodes that can be asked. */
  List<String> reachable() {
    return others.reachable();
  }

  /**
   * Asks a node.
   *
   * @return fails if it does not answer in time
   */
  public CompletableFuture<NodeAnswer> answer(String node, NodeQuestion question, long millis) {
    return others.ask(node, question, millis);
  }

  /**
   * Asks a node.
   *
   * @return fails if it does not answer in time, or not with 200 and an object
   */
  CompletableFuture<Map<String, Object>> ask(String node, NodeQuestion question, long millis) {
    return others
        .ask(node, question, millis)
        .thenApply(
            answer -> {
              if (!answer.isDone()) {
                throw new IllegalStateException(
                    "status %d: %s".formatted(answer.status(), answer.body()));
              }
              return answer.object();
            });
  }

  /** Notes that an answer goes without a node. */
  static void leaveOut(String node, Throwable why) {
    LOGGER.debug("without node {}: {}", node, Causes.of(why).getMessage());
  }

  /** Asks all; returns the objects that they answer with, by the names of the nodes. */
  public Map<String, Map<String, Object>> objects(NodeQuestion question) {
    Map<String, Map<String, Object>> found = new LinkedHashMap<>();
    ofEach(node -> ask(node, question, MILLIS)).forEach(found::put);
    return found;
  }

  /**
   * Asks each for an object that is named as the node.
   *
   * @param request on whose behalf
   * @param path before the name
   */
  public Map<String, Map<String, Object>> each(Request request, String path) {
    return ofEach(
        node ->
            ask(
                node,
                new NodeQuestion(
                    "GET",
                    List.of(path, node),
                    Map.of(),
                    Map.of(),
                    Map.of(),
                    null,
                    request.principal()),
                MILLIS));
  }

  /** Does something for each other node at once; returns the results of those that succeed. */
  <T> Map<String, T> ofEach(Function<String, CompletableFuture<T>> work) {
    return ofEach(reachable(), work);
  }

  /** Does something for each of these nodes at once; returns the results of those that succeed. */
  static <T> Map<String, T> ofEach(
      List<String> nodes, Function<String, CompletableFuture<T>> work) {
    Map<String, CompletableFuture<T>> begun = new LinkedHashMap<>();
    for (String node : nodes) {
      begun.put(
          node,
          work.apply(node)
              .exceptionally(
                  failure -> {
                    leaveOut(node, failure);
                    return null;
                  }));
    }
    Map<String, T> results = new LinkedHashMap<>();
    begun.forEach(
        (node, future) -> {
          T result = await(future);
          if (result != null) {
            results.put(node, result);
          }
        });
    return results;
  }

  /**
   * Makes a handler look on the other nodes for what it does not find here.
   *
   * @param here answers 404 if what is asked for is not on this node
   */
  public RequestRouter.Handler orElsewhere(RequestRouter.Handler here) {
    return request -> {
      try {
        return here.handle(request);
      } catch (ApiException e) {
        if (e.status() != NOT_FOUND) {
          throw e;
        }
        return elsewhere(request).orElseThrow(() -> e);
      }
    };
  }

  private Optional<Response> elsewhere(Request request) {
    return answers(NodeQuestion.of(request)).stream()
        .filter(answer -> answer.status() != NOT_FOUND)
        .findFirst()
        .map(NodeAnswer::response);
  }

  /** Makes a handler do on all nodes what it does here; the answer is that of this node. */
  public RequestRouter.Handler everywhere(RequestRouter.Handler here) {
    return request -> {
      Response response = here.handle(request);
      answers(NodeQuestion.of(request));
      return response;
    };
  }

  private List<NodeAnswer> answers(NodeQuestion question) {
    return new ArrayList<>(ofEach(node -> others.ask(node, question, MILLIS)).values());
  }

  /** Returns what another node answers to a request; empty if it does not within 2 s. */
  public Optional<Response> answerOf(String node, Request request) {
    return answerOf(node, request, MILLIS);
  }

  /**
   * Passes a request on to another node, where it may take as long as here.
   *
   * @return what that node answers; empty if it cannot be reached, or does not answer
   */
  public Optional<Response> passOn(String node, Request request) {
    return answerOf(node, request, PATIENCE_MILLIS);
  }

  private Optional<Response> answerOf(String node, Request request, long millis) {
    NodeQuestion question = NodeQuestion.of(request);
    return Optional.ofNullable(
            ofEach(List.of(node), name -> others.ask(name, question, millis)).get(node))
        .map(NodeAnswer::response);
  }

  private static <T> T await(CompletableFuture<T> future) {
    try {
      return Workers.await(future, PATIENCE_MILLIS);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } catch (TimeoutException e) {
      throw new ApiException(
          503,
          "timeout",
          "no answer of another node within " + PATIENCE_MILLIS / 1000 + " seconds");
    } catch (Workers.TooManyWaitException e) {
      throw new ApiException(
          503, "overloaded", "another node does not answer, and many requests wait for it");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ApiException(503, "unavailable", "the broker is stopping");
    }
  }
}
