package io.mayflymq.server.channel;

import io.mayflymq.core.routing.Route;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.queue.Queue;

/** Finds out whether publishers to queues have to wait. */
public final class PublishingPauses {
  private PublishingPauses() {}

  /** Returns whether publishers to a queue of a route wait: mostly without a look at its queues. */
  static boolean hold(Route<Queue> route, VirtualHost vhost) {
    return areThere(vhost) && in(route) != null;
  }

  /** Returns whether any policy of a virtual host pauses queues. */
  static boolean areThere(VirtualHost vhost) {
    return vhost.policies().table().pauses();
  }

  /** Returns a queue of a route whose publishers wait; null if there is none. */
  public static Queue in(Route<Queue> route) {
    for (int i = 0; i < route.size(); i++) {
      Queue queue = route.get(i);
      if (queue.settings().pace().pausesPublishing()) {
        return queue;
      }
    }
    return null;
  }

  /**
   * Returns whether publishers to the queues of a route, which was found earlier, wait now. A queue
   * may be deleted since then, or at another place.
   */
  public static boolean isNow(Route<Queue> route) {
    for (int i = 0; i < route.size(); i++) {
      Queue queue = route.get(i).vhost().routing().queue(route.get(i).name());
      if (queue != null && queue.settings().pace().pausesPublishing()) {
        return true;
      }
    }
    return false;
  }
}
