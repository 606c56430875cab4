package io.mayflymq.server.management.resource;

import io.mayflymq.server.management.api.RequestRouter;
import java.util.function.UnaryOperator;

/**
 * Routes about a queue that the node of the queue answers: other nodes pass such requests on to it.
 */
abstract class HomeRoutes {
  final ManagedBroker managed;

  HomeRoutes(ManagedBroker managed) {
    this.managed = managed;
  }

  /** Adds the routes of the API. */
  public final void addTo(RequestRouter requestRouter) {
    add(requestRouter, managed::atHome);
  }

  /** Adds what other nodes ask. */
  public final void addQuestionsTo(RequestRouter questions) {
    add(questions, here -> here);
  }

  /**
   * Adds the routes.
   *
   * @param where makes a handler answer on the node of the queue
   */
  abstract void add(RequestRouter requestRouter, UnaryOperator<RequestRouter.Handler> where);
}
