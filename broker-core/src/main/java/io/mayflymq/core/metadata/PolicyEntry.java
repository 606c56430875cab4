package io.mayflymq.core.metadata;

import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKind;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How policies are written down: the version of the layout, virtual host, kind, name, pattern,
 * apply-to and priority, then the number of settings, and each as its key, a letter for its type
 * and its value. Text is as {@link DataOutputStream#writeUTF} has it.
 */
final class PolicyEntry {
  private static final int VERSION = 1;

  private static final char WHOLE_NUMBER = 'n';
  private static final char TEXT = 't';
  private static final char FLAG = 'f';
  private static final char TEXTS = 'l';

  private PolicyEntry() {}

  static String key(String vhost, PolicyKind kind, String name) {
    return MetadataEntry.key(vhost, kind.component()) + MetadataEntry.key("", name);
  }

  static byte[] encode(MetadataCommand.PolicySet set) {
    Policy policy = set.policy();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(VERSION);
      out.writeUTF(set.vhost());
      out.writeUTF(policy.kind().component());
      out.writeUTF(policy.name());
      out.writeUTF(policy.pattern());
      out.writeUTF(policy.applyTo().wireName());
      out.writeInt(policy.priority());
      Map<String, Object> definition = policy.definition().toMap();
      out.writeInt(definition.size());
      for (Map.Entry<String, Object> setting : definition.entrySet()) {
        out.writeUTF(setting.getKey());
        write(out, setting.getValue());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static void write(DataOutputStream out, Object value) throws IOException {
    if (value instanceof Long number) {
      out.writeByte(WHOLE_NUMBER);
      out.writeLong(number);
    } else if (value instanceof String text) {
      out.writeByte(TEXT);
      out.writeUTF(text);
    } else if (value instanceof Boolean flag) {
      out.writeByte(FLAG);
      out.writeBoolean(flag);
    } else if (value instanceof List<?> texts) {
      out.writeByte(TEXTS);
      out.writeInt(texts.size());
      for (Object text : texts) {
        out.writeUTF((String) text);
      }
    } else {
      throw new IllegalArgumentException("not a value of a policy: " + value);
    }
  }

  static MetadataCommand.PolicySet decode(byte[] bytes) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      int version = in.readUnsignedByte();
      if (version != VERSION) {
        throw new IOException("a policy has layout " + version + ", known is " + VERSION);
      }
      String vhost = in.readUTF();
      PolicyKind kind = kind(in.readUTF());
      String name = in.readUTF();
      String pattern = in.readUTF();
      String applyTo = in.readUTF();
      int priority = in.readInt();
      Map<String, Object> definition = new LinkedHashMap<>();
      for (int left = in.readInt(); left > 0; left--) {
        definition.put(in.readUTF(), read(in));
      }
      return new MetadataCommand.PolicySet(
          vhost, Policy.kept(kind, name, pattern, applyTo, priority, definition));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Object read(DataInputStream in) throws IOException {
    int type = in.readUnsignedByte();
    return switch (type) {
      case WHOLE_NUMBER -> in.readLong();
      case TEXT -> in.readUTF();
      case FLAG -> in.readBoolean();
      case TEXTS -> {
        List<String> texts = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
          texts.add(in.readUTF());
        }
        yield texts;
      }
      default -> throw new IOException("a policy's value has the unknown type " + type);
    };
  }

  private static PolicyKind kind(String component) throws IOException {
    for (PolicyKind kind : PolicyKind.values()) {
      if (kind.component().equals(component)) {
        return kind;
      }
    }
    throw new IOException("a policy is of the unknown kind '" + component + "'");
  }
}
