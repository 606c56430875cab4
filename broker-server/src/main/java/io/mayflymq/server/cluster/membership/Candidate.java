package io.mayflymq.server.cluster.membership;

import java.util.UUID;

/**
 * A node that looks for its cluster.
 *
 * @param request asks others about it
 * @param hasData whether it has users or virtual hosts, so that it can only be the one that a
 *     cluster begins with
 */
record Candidate(MemberRequest request, boolean hasData) {
  String name() {
    return request.name();
  }

  UUID directory() {
    return request.directory();
  }

  byte[] asksTo(MemberRequest.Kind kind) {
    return request.of(kind).encode();
  }
}
