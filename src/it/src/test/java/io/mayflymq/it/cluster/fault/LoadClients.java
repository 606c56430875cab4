package io.mayflymq.it.cluster.fault;

import io.mayflymq.it.cluster.fault.LoadClient.Loss;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;

/** The clients that are at work at the same time. One thread, the test's. */
public final class LoadClients {
  private final List<LoadClient> clients = new ArrayList<>();
  private final List<Loss> losses = new ArrayList<>();

  /** Adds one that has not been started, or has been. */
  public void add(LoadClient client) {
    clients.add(client);
  }

  /** Starts all. */
  public void start() {
    clients.forEach(LoadClient::start);
  }

  /** Has all end, and returns what is wrong with those that do not. */
  public List<String> stop() throws InterruptedException {
    clients.forEach(LoadClient::stop);
    List<String> wrong = new ArrayList<>();
    for (LoadClient client : clients) {
      try {
        client.join();
      } catch (AssertionError e) {
        StringWriter text = new StringWriter();
        e.printStackTrace(new PrintWriter(text));
        wrong.add(text.toString());
      }
      losses.addAll(client.losses());
    }
    clients.clear();
    return wrong;
  }

  /** Returns what clients have lost that have ended since this was called last. */
  public List<Loss> takeLosses() {
    List<Loss> taken = List.copyOf(losses);
    losses.clear();
    return taken;
  }
}
