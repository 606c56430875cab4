package io.mayflymq.core.metadata;

import io.mayflymq.core.metadata.MetadataCommand.GlobalParameterSet;
import io.mayflymq.core.metadata.MetadataCommand.ParameterSet;
import io.mayflymq.core.metadata.MetadataCommand.PermissionsSet;
import io.mayflymq.core.metadata.MetadataCommand.TopicPermissionsSet;
import io.mayflymq.core.metadata.MetadataCommand.UserDeclared;
import io.mayflymq.core.metadata.MetadataCommand.VhostDeclared;
import io.mayflymq.core.policy.Dialect;
import io.mayflymq.core.security.HashingAlgorithm;
import io.mayflymq.core.security.Limit;
import io.mayflymq.core.security.Limits;
import io.mayflymq.core.security.PasswordHash;
import io.mayflymq.core.security.Permissions;
import io.mayflymq.core.security.TopicPermissions;
import io.mayflymq.core.security.User;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** Encodes virtual hosts, users, permissions and parameters. */
final class AdministrativeEntry {
  private AdministrativeEntry() {}

  static ByteBuffer encode(VhostDeclared declared) {
    VhostDefinition vhost = declared.definition();
    return MetadataEntry.write(
        out -> {
          out.text(vhost.name());
          out.text(vhost.description());
          out.texts(vhost.tags());
          out.text(vhost.defaultQueueType());
          writeLimits(out, vhost.limits());
          // Left out if there is nothing to say, as before there was a protection and a dialect.
          if (vhost.protectedFromDeletion() || vhost.dialect().isPresent()) {
            out.writeBoolean(vhost.protectedFromDeletion());
          }
          if (vhost.dialect().isPresent()) {
            out.text(vhost.dialect().get().series());
          }
        });
  }

  static VhostDeclared decodeVhost(ByteBuffer value) {
    return MetadataEntry.read(
        value,
        in -> {
          VhostDefinition vhost =
              new VhostDefinition(
                  in.text(),
                  in.longText(),
                  in.texts(),
                  in.text(),
                  Optional.empty(),
                  readLimits(in),
                  in.available() > 0 && in.readBoolean());
          return new VhostDeclared(in.available() > 0 ? vhost.withDialect(readDialect(in)) : vhost);
        });
  }

  private static Optional<Dialect> readDialect(MetadataEntry.Input in) throws IOException {
    String series = in.text();
    Optional<Dialect> dialect = Dialect.ofSeries(series);
    if (dialect.isEmpty()) {
      throw new IOException("unknown dialect '" + series + "'");
    }
    return dialect;
  }

  static ByteBuffer encode(UserDeclared declared) {
    User user = declared.user();
    return MetadataEntry.write(
        out -> {
          out.text(user.name());
          out.text(user.passwordHash().algorithm().definitionsName());
          out.text(user.passwordHash().base64());
          out.texts(user.tags());
          writeLimits(out, user.limits());
        });
  }

  static UserDeclared decodeUser(ByteBuffer value) {
    return MetadataEntry.read(
        value,
        in ->
            new UserDeclared(
                new User(
                    in.text(),
                    new PasswordHash(HashingAlgorithm.ofDefinitionsName(in.text()), in.text()),
                    in.texts(),
                    readLimits(in))));
  }

  static ByteBuffer encode(PermissionsSet set) {
    return MetadataEntry.write(
        out -> {
          out.text(set.user());
          out.text(set.vhost());
          out.text(set.permissions().configure().source());
          out.text(set.permissions().write().source());
          out.text(set.permissions().read().source());
        });
  }

  static PermissionsSet decodePermissions(ByteBuffer value) {
    return MetadataEntry.read(
        value,
        in ->
            new PermissionsSet(
                in.text(),
                in.text(),
                Permissions.kept(in.longText(), in.longText(), in.longText())));
  }

  static ByteBuffer encode(TopicPermissionsSet set) {
    return MetadataEntry.write(
        out -> {
          out.text(set.user());
          out.text(set.vhost());
          out.text(set.exchange());
          out.text(set.permissions().write());
          out.text(set.permissions().read());
        });
  }

  static TopicPermissionsSet decodeTopicPermissions(ByteBuffer value) {
    return MetadataEntry.read(
        value,
        in ->
            new TopicPermissionsSet(
                in.text(),
                in.text(),
                in.text(),
                new TopicPermissions(in.longText(), in.longText())));
  }

  static ByteBuffer encode(GlobalParameterSet set) {
    return MetadataEntry.write(
        out -> {
          out.text(set.name());
          out.text(set.json());
        });
  }

  static GlobalParameterSet decodeGlobalParameter(ByteBuffer value) {
    return MetadataEntry.read(value, in -> new GlobalParameterSet(in.text(), in.longText()));
  }

  static ByteBuffer encode(ParameterSet set) {
    return MetadataEntry.write(
        out -> {
          out.text(set.vhost());
          out.text(set.component());
          out.text(set.name());
          out.text(set.json());
        });
  }

  static ParameterSet decodeParameter(ByteBuffer value) {
    return MetadataEntry.read(
        value, in -> new ParameterSet(in.text(), in.text(), in.text(), in.longText()));
  }

  private static void writeLimits(MetadataEntry.Output out, Limits limits) throws IOException {
    out.writeByte(limits.asMap().size());
    for (Map.Entry<Limit, Integer> limit : limits.asMap().entrySet()) {
      out.text(limit.getKey().key());
      out.writeInt(limit.getValue());
    }
  }

  private static Limits readLimits(MetadataEntry.Input in) throws IOException {
    int size = in.readUnsignedByte();
    EnumMap<Limit, Integer> limits = new EnumMap<>(Limit.class);
    for (int i = 0; i < size; i++) {
      String key = in.text();
      Limit limit = Limit.ofKey(key);
      if (limit == null) {
        throw new IOException("unknown limit '" + key + "'");
      }
      limits.put(limit, in.readInt());
    }
    return Limits.of(limits);
  }
}
