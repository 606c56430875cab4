package io.mayflymq.server.cluster.membership;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.mayflymq.core.metadata.ClusterMember;
import io.mayflymq.server.json.JsonReader;
import io.mayflymq.server.json.JsonWriter;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/**
 * What a node asks a member about membership, as JSON, so that later releases may say more.
 *
 * @param kind what it asks for
 * @param name the name of the node that it is about
 * @param directory the id of that node's data directory
 * @param address where others reach that node
 * @param version the highest version of changes that it knows
 */
record MemberRequest(Kind kind, String name, UUID directory, String address, int version) {
  /** What is asked for. */
  enum Kind {
    /** To be the one with which a new cluster begins. */
    BEGIN,
    /** To become a member. */
    JOIN,
    /** To take part in decisions, once it has all metadata. */
    VOTE,
    /** To be a member no longer. */
    LEAVE
  }

  byte[] encode() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("kind", kind.name());
    json.put("name", name);
    json.put("directory", directory.toString());
    json.put("address", address);
    json.put("version", version);
    return JsonWriter.text(json).getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Decodes a request.
   *
   * @throws IllegalArgumentException if it is none that this release knows
   */
  static MemberRequest decode(byte[] bytes) {
    try {
      Object json = JsonReader.DEFAULT.read(new String(bytes, StandardCharsets.UTF_8));
      if (json instanceof Map<?, ?> fields) {
        return new MemberRequest(
            Kind.valueOf(text(fields, "kind")),
            text(fields, "name"),
            UUID.fromString(text(fields, "directory")),
            text(fields, "address"),
            number(fields, "version"));
      }
      throw new IllegalArgumentException("a request about members is no object");
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("a request about members is damaged", e);
    }
  }

  /** Returns this request as one of another kind. */
  MemberRequest of(Kind other) {
    return new MemberRequest(other, name, directory, address, version);
  }

  /** Returns the node as a member. */
  ClusterMember member(int number) {
    return new ClusterMember(
        number, directory, name, address, ClusterMember.State.SERVING, version);
  }

  private static int number(Map<?, ?> fields, String name) {
    if (fields.get(name) instanceof Number number) {
      return number.intValue();
    }
    throw new IllegalArgumentException("a request about members lacks " + name);
  }

  private static String text(Map<?, ?> fields, String name) {
    if (fields.get(name) instanceof String text) {
      return text;
    }
    throw new IllegalArgumentException("a request about members lacks " + name);
  }
}
