package io.mayflymq.server.management.cluster;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.server.http.HttpLimits;
import io.mayflymq.server.http.Workers;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Missing;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Answers the questions of other nodes. Any thread may call.
 *
 * <p>It has threads of its own: if the same ones answered clients, those of two nodes could all
 * wait for one another. What it answers is on this node, so it never asks another one.
 */
public final class QuestionService implements AutoCloseable {
  private final Supplier<RequestRouter> handlers;
  private final Workers workers;
  private final Faults faults;

  /**
   * @param handlers answer with what this node has
   * @param limits how many questions are answered at a time
   */
  public QuestionService(
      Supplier<RequestRouter> handlers, HttpLimits limits, BrokerThreads threads) {
    this.handlers = handlers;
    this.workers = new Workers(limits, threads.auxiliaries("management-nodes"));
    this.faults = threads.faults();
  }

  /**
   * Answers a question.
   *
   * @param node that asks
   * @return fails if it is no question, or too many wait for an answer
   */
  public CompletableFuture<byte[]> answer(String node, byte[] question) {
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    boolean begun =
        workers.begin(
            () -> {
              try {
                answer.complete(NodeAnswer.encode(answer(NodeQuestion.decode(question))));
              } catch (RuntimeException e) {
                faults.report("a question of node", node, e);
                answer.completeExceptionally(e);
              }
            });
    if (!begun) {
      answer.completeExceptionally(
          new IllegalStateException("too many questions of other nodes wait"));
    }
    return answer;
  }

  private Response answer(NodeQuestion question) {
    try {
      return handlers.get().find(question.method(), question.path())
              instanceof RequestRouter.Found.Handled found
          ? found.handler().handle(question.request(found.parameters()))
          : Response.of(
              ApiException.notFound(Missing.other("path", String.join("/", question.path()))));
    } catch (RuntimeException e) {
      return Response.refusal(e).orElseThrow(() -> e);
    }
  }

  @Override
  public void close() {
    workers.close();
  }
}
