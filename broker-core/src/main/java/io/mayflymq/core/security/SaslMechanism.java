package io.mayflymq.core.security;

import io.mayflymq.core.security.SaslResponse.Login;
import io.mayflymq.core.security.SaslResponse.Malformed;
import io.mayflymq.protocol.types.AmqpException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.Utf8;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * A way to log in (AMQP 0-9-1, section 4.7; RFC 4422). All of these send everything in {@code
 * connection.start-ok}: there is no challenge.
 */
public sealed interface SaslMechanism {
  /** What is offered unless configured otherwise, in RabbitMQ's order. */
  List<SaslMechanism> DEFAULTS = List.of(new Plain(), new AmqPlain());

  /** The name in {@code connection.start} and {@code connection.start-ok}. */
  String name();

  /** Reads the response of {@code connection.start-ok}. Never throws. */
  SaslResponse parse(byte[] response);

  /** RFC 4616: NUL, name, NUL, password. RabbitMQ wants the authorization identity empty. */
  record Plain() implements SaslMechanism {
    @Override
    public String name() {
      return "PLAIN";
    }

    @Override
    public SaslResponse parse(byte[] response) {
      int separator = response.length == 0 || response[0] != 0 ? -1 : nul(response, 1);
      if (separator < 0 || nul(response, separator + 1) >= 0) {
        return new Malformed("PLAIN response invalid");
      }
      int password = separator + 1;
      return new Login(
          new Credentials(
              Utf8.decode(response, 1, separator - 1),
              Utf8.decode(response, password, response.length - password)));
    }

    private static int nul(byte[] response, int from) {
      for (int i = from; i < response.length; i++) {
        if (response[i] == 0) {
          return i;
        }
      }
      return -1;
    }
  }

  /** The body of a field table with the strings LOGIN and PASSWORD, as AMQP 0-8 had it. */
  record AmqPlain() implements SaslMechanism {
    @Override
    public String name() {
      return "AMQPLAIN";
    }

    @Override
    public SaslResponse parse(byte[] response) {
      FieldTable table;
      try {
        table = FieldTable.decode(response, 0, response.length);
      } catch (AmqpException e) {
        return new Malformed("AMQPLAIN response invalid");
      }
      FieldValue login = table.get("LOGIN");
      FieldValue password = table.get("PASSWORD");
      if (login == null || password == null) {
        return new Malformed("AMQPLAIN auth info is missing LOGIN or PASSWORD field");
      }
      String name = text(login);
      String secret = text(password);
      return name == null || secret == null
          ? new Malformed("AMQPLAIN auth info uses unsupported type for LOGIN or PASSWORD field")
          : new Login(new Credentials(name, secret));
    }

    private static String text(FieldValue value) {
      if (value instanceof FieldValue.LongString text) {
        return text.string();
      }
      if (value instanceof FieldValue.Binary binary) {
        byte[] bytes = binary.bytes();
        return Utf8.decode(bytes, 0, bytes.length);
      }
      return null;
    }
  }

  /**
   * RFC 4422, appendix A: the client is who its TLS certificate says. Offered on TLS only.
   *
   * @param from what of the certificate is the name of the user
   */
  record External(CertificateLogin from) implements SaslMechanism {
    public External {
      Objects.requireNonNull(from, "from");
    }

    @Override
    public String name() {
      return "EXTERNAL";
    }

    @Override
    public SaslResponse parse(byte[] response) {
      return new SaslResponse.Certificate();
    }
  }

  /**
   * RFC 4505: every client is logged in as one configured user. Off by default.
   *
   * @param credentials the user to log in as, as in RabbitMQ 4's {@code anonymous_login_user} and
   *     {@code anonymous_login_pass}
   */
  record Anonymous(Credentials credentials) implements SaslMechanism {
    public Anonymous {
      Objects.requireNonNull(credentials, "credentials");
    }

    @Override
    public String name() {
      return "ANONYMOUS";
    }

    @Override
    public SaslResponse parse(byte[] response) {
      return new Login(credentials);
    }
  }

  /** Parts of this broker that are its clients. Offered only on a listener of their own. */
  final class Inner implements SaslMechanism {
    /** The name of the user with all permissions, as RabbitMQ has it; no user has to exist. */
    public static final String USER = "none";

    private final String name;
    private final byte[] secret;

    /**
     * @param name as the client names it
     * @param secret what a client proves itself by; behind it is the name of a user, or nothing for
     *     all permissions
     */
    public Inner(String name, byte[] secret) {
      this.name = name;
      this.secret = secret.clone();
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public SaslResponse parse(byte[] response) {
      int length = Math.min(response.length, secret.length);
      return MessageDigest.isEqual(Arrays.copyOf(response, length), secret)
          ? new SaslResponse.Proved(Utf8.decode(response, length, response.length - length))
          : new Malformed("no part of the broker");
    }
  }
}
