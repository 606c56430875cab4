package io.mayflymq.core.metadata;

import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How policies are written down: the version of the layout, virtual host, kind, name, pattern,
 * apply-to and priority, then the number of settings, and each as its key, a character for its type
 * and its value. What is added to others has one byte more at the end.
 */
final class PolicyEntry {
  private static final char WHOLE_NUMBER = 'n';
  private static final char TEXT = 't';
  private static final char FLAG = 'f';
  private static final char TEXTS = 'l';
  private static final char TEXT_TABLE = 'm';

  private PolicyEntry() {}

  static String key(PolicyKind kind, String name) {
    return MetadataEntry.part(kind.component()) + name;
  }

  static ByteBuffer encode(MetadataCommand.PolicySet set) {
    return encode(set.vhost(), set.policy());
  }

  /** The pattern of virtual hosts has the place of the virtual host. */
  static ByteBuffer encode(MetadataCommand.VhostPolicySet set) {
    return encode(set.policy().vhosts(), set.policy());
  }

  private static ByteBuffer encode(String vhost, Policy policy) {
    Map<String, Object> definition = policy.definition().toMap();
    return MetadataEntry.write(
        out -> {
          out.text(vhost);
          out.text(policy.kind().component());
          out.text(policy.name());
          out.text(policy.pattern());
          out.text(policy.applyTo().wireName());
          out.writeInt(policy.priority());
          out.writeInt(definition.size());
          for (Map.Entry<String, Object> setting : definition.entrySet()) {
            out.text(setting.getKey());
            write(out, setting.getValue());
          }
          if (policy.merges()) {
            out.writeBoolean(true);
          }
        });
  }

  private static void write(MetadataEntry.Output out, Object value) throws IOException {
    if (value instanceof Long number) {
      out.writeByte(WHOLE_NUMBER);
      out.writeLong(number);
    } else if (value instanceof String text) {
      out.writeByte(TEXT);
      out.text(text);
    } else if (value instanceof Boolean flag) {
      out.writeByte(FLAG);
      out.writeBoolean(flag);
    } else if (value instanceof List<?> texts) {
      out.writeByte(TEXTS);
      out.writeInt(texts.size());
      for (Object text : texts) {
        out.text((String) text);
      }
    } else if (value instanceof Map<?, ?> table) {
      out.writeByte(TEXT_TABLE);
      out.writeInt(table.size());
      for (Map.Entry<?, ?> entry : table.entrySet()) {
        out.text((String) entry.getKey());
        out.text((String) entry.getValue());
      }
    } else {
      throw new IllegalArgumentException("not a value of a policy: " + value);
    }
  }

  static MetadataCommand.PolicySet decode(ByteBuffer bytes) {
    return read(bytes);
  }

  static MetadataCommand.VhostPolicySet decodeForVhosts(ByteBuffer bytes) {
    MetadataCommand.PolicySet set = read(bytes);
    return new MetadataCommand.VhostPolicySet(set.policy().keptForVhosts(set.vhost()));
  }

  private static MetadataCommand.PolicySet read(ByteBuffer bytes) {
    return MetadataEntry.read(
        bytes,
        in -> {
          String vhost = in.text();
          PolicyKind kind = kind(in.text());
          String name = in.text();
          String pattern = in.text();
          String applyTo = in.text();
          int priority = in.readInt();
          Map<String, Object> definition = new LinkedHashMap<>();
          for (int left = in.readInt(); left > 0; left--) {
            definition.put(in.text(), read(in));
          }
          return new MetadataCommand.PolicySet(
              vhost,
              Policy.kept(kind, name, pattern, applyTo, priority, definition)
                  .merging(in.available() > 0 && in.readBoolean()));
        });
  }

  private static Object read(MetadataEntry.Input in) throws IOException {
    int type = in.readUnsignedByte();
    return switch (type) {
      case WHOLE_NUMBER -> in.readLong();
      case TEXT -> in.text();
      case FLAG -> in.readBoolean();
      case TEXTS -> in.texts();
      case TEXT_TABLE -> {
        Map<String, String> table = new LinkedHashMap<>();
        for (int left = in.readInt(); left > 0; left--) {
          table.put(in.text(), in.text());
        }
        yield table;
      }
      default -> throw new IOException("a policy's value has the unknown type " + type);
    };
  }

  static PolicyKind kind(String component) {
    for (PolicyKind kind : PolicyKind.values()) {
      if (kind.component().equals(component)) {
        return kind;
      }
    }
    throw new MetadataException("a policy is of the unknown kind '" + component + "'", null);
  }
}
