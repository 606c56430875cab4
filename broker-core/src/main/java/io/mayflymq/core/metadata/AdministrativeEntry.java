package io.mayflymq.core.metadata;

import io.mayflymq.core.metadata.MetadataCommand.GlobalParameterSet;
import io.mayflymq.core.metadata.MetadataCommand.PermissionsSet;
import io.mayflymq.core.metadata.MetadataCommand.TopicPermissionsSet;
import io.mayflymq.core.metadata.MetadataCommand.UserDeclared;
import io.mayflymq.core.metadata.MetadataCommand.VhostDeclared;
import io.mayflymq.core.security.HashingAlgorithm;
import io.mayflymq.core.security.Limit;
import io.mayflymq.core.security.Limits;
import io.mayflymq.core.security.PasswordHash;
import io.mayflymq.core.security.Permissions;
import io.mayflymq.core.security.TopicPermissions;
import io.mayflymq.core.security.User;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** How virtual hosts, users, permissions and global parameters are written down. */
final class AdministrativeEntry {
  private AdministrativeEntry() {}

  static byte[] encode(VhostDeclared declared) {
    VhostDefinition vhost = declared.definition();
    return MetadataEntry.write(
        out -> {
          out.writeUTF(vhost.name());
          writeText(out, vhost.description());
          writeList(out, vhost.tags());
          out.writeUTF(vhost.defaultQueueType());
          writeLimits(out, vhost.limits());
        });
  }

  static VhostDeclared decodeVhost(byte[] value) {
    return MetadataEntry.read(
        value,
        in ->
            new VhostDeclared(
                new VhostDefinition(
                    in.readUTF(), readText(in), readList(in), in.readUTF(), readLimits(in))));
  }

  static byte[] encode(UserDeclared declared) {
    User user = declared.user();
    return MetadataEntry.write(
        out -> {
          out.writeUTF(user.name());
          out.writeUTF(user.passwordHash().algorithm().definitionsName());
          out.writeUTF(user.passwordHash().base64());
          writeList(out, user.tags());
          writeLimits(out, user.limits());
        });
  }

  static UserDeclared decodeUser(byte[] value) {
    return MetadataEntry.read(
        value,
        in ->
            new UserDeclared(
                new User(
                    in.readUTF(),
                    new PasswordHash(
                        HashingAlgorithm.ofDefinitionsName(in.readUTF()), in.readUTF()),
                    readList(in),
                    readLimits(in))));
  }

  static byte[] encode(PermissionsSet set) {
    return MetadataEntry.write(
        out -> {
          out.writeUTF(set.user());
          out.writeUTF(set.vhost());
          writeText(out, set.permissions().configure().source());
          writeText(out, set.permissions().write().source());
          writeText(out, set.permissions().read().source());
        });
  }

  static PermissionsSet decodePermissions(byte[] value) {
    return MetadataEntry.read(
        value,
        in ->
            new PermissionsSet(
                in.readUTF(),
                in.readUTF(),
                Permissions.kept(readText(in), readText(in), readText(in))));
  }

  static byte[] encode(TopicPermissionsSet set) {
    return MetadataEntry.write(
        out -> {
          out.writeUTF(set.user());
          out.writeUTF(set.vhost());
          out.writeUTF(set.exchange());
          writeText(out, set.permissions().write());
          writeText(out, set.permissions().read());
        });
  }

  static TopicPermissionsSet decodeTopicPermissions(byte[] value) {
    return MetadataEntry.read(
        value,
        in ->
            new TopicPermissionsSet(
                in.readUTF(),
                in.readUTF(),
                in.readUTF(),
                new TopicPermissions(readText(in), readText(in))));
  }

  static byte[] encode(GlobalParameterSet set) {
    return MetadataEntry.write(
        out -> {
          out.writeUTF(set.name());
          writeText(out, set.json());
        });
  }

  static GlobalParameterSet decodeGlobalParameter(byte[] value) {
    return MetadataEntry.read(value, in -> new GlobalParameterSet(in.readUTF(), readText(in)));
  }

  /** Text of any length, unlike {@link DataOutputStream#writeUTF}, which ends at 64 KiB. */
  private static void writeText(DataOutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  private static String readText(DataInputStream in) throws IOException {
    int length = in.readInt();
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new IOException("a text of " + length + " bytes is cut after " + bytes.length);
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static void writeList(DataOutputStream out, List<String> texts) throws IOException {
    out.writeInt(texts.size());
    for (String text : texts) {
      out.writeUTF(text);
    }
  }

  private static List<String> readList(DataInputStream in) throws IOException {
    int size = in.readInt();
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      texts.add(in.readUTF());
    }
    return texts;
  }

  private static void writeLimits(DataOutputStream out, Limits limits) throws IOException {
    out.writeByte(limits.asMap().size());
    for (Map.Entry<Limit, Integer> limit : limits.asMap().entrySet()) {
      out.writeUTF(limit.getKey().key());
      out.writeInt(limit.getValue());
    }
  }

  private static Limits readLimits(DataInputStream in) throws IOException {
    int size = in.readUnsignedByte();
    EnumMap<Limit, Integer> limits = new EnumMap<>(Limit.class);
    for (int i = 0; i < size; i++) {
      String key = in.readUTF();
      Limit limit = Limit.ofKey(key);
      if (limit == null) {
        throw new IOException("unknown limit '" + key + "'");
      }
      limits.put(limit, in.readInt());
    }
    return Limits.of(limits);
  }
}
