package io.mayflymq.core.security;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.security.auth.x500.X500Principal;

/**
 * Determines the name of the user from a client's certificate, as RabbitMQ's {@code
 * ssl_cert_login_from}, {@code ssl_cert_login_san_type} and {@code ssl_cert_login_san_index} do.
 *
 * @param part which part of the certificate is the name
 * @param type of the alternative names that count, for {@link Part#SUBJECT_ALTERNATIVE_NAME}
 * @param index which of these it is, from 0
 */
public record CertificateLogin(Part part, AlternativeName type, int index) {
  /** A part of a certificate. */
  public enum Part {
    /** The subject as a whole, the most specific part first: {@code CN=ann,O=shop}. */
    DISTINGUISHED_NAME,
    /** The common name; several are joined by commas. */
    COMMON_NAME,
    /** One of the alternative names of the subject. */
    SUBJECT_ALTERNATIVE_NAME
  }

  /** A type of alternative names (RFC 5280, section 4.2.1.6). */
  public enum AlternativeName {
    DNS(2),
    IP(7),
    EMAIL(1),
    URI(6),
    /** Such as the name of a principal in Active Directory. */
    OTHER_NAME(0);

    private final int number;

    AlternativeName(int number) {
      this.number = number;
    }
  }

  /** The keywords beyond those of RFC 2253. */
  private static final Map<String, String> KEYWORDS =
      Map.of(
          "1.2.840.113549.1.9.1", "EMAILADDRESS",
          "2.5.4.4", "SN",
          "2.5.4.5", "SERIALNUMBER",
          "2.5.4.12", "TITLE",
          "2.5.4.42", "GIVENNAME",
          "2.5.4.43", "INITIALS",
          "2.5.4.44", "GENERATIONQUALIFIER",
          "2.5.4.65", "PSEUDONYM");

  /** Tags of DER. */
  private static final int SEQUENCE = 0x30;

  private static final int OBJECT_ID = 0x06;
  private static final int EXPLICIT = 0xa0;
  private static final int UTF8 = 0x0c;
  private static final int PRINTABLE = 0x13;
  private static final int IA5 = 0x16;

  public CertificateLogin {
    Objects.requireNonNull(part, "part");
    Objects.requireNonNull(type, "type");
  }

  /** Returns the name of the user, or null if the certificate has none. */
  public String name(X509Certificate certificate) {
    return switch (part) {
      case DISTINGUISHED_NAME -> distinguishedName(certificate.getSubjectX500Principal());
      case COMMON_NAME -> commonName(certificate.getSubjectX500Principal());
      case SUBJECT_ALTERNATIVE_NAME -> alternativeName(certificate);
    };
  }

  static String distinguishedName(X500Principal subject) {
    String name = subject.getName(X500Principal.RFC2253, KEYWORDS);
    return name.isEmpty() ? null : name;
  }

  static String commonName(X500Principal subject) {
    try {
      List<String> names = new ArrayList<>();
      for (Rdn part : new LdapName(subject.getName(X500Principal.RFC2253)).getRdns()) {
        Attribute commonName = part.toAttributes().get("CN");
        if (commonName != null) {
          names.add(String.valueOf(commonName.get()));
        }
      }
      return names.isEmpty() ? null : String.join(",", names);
    } catch (NamingException e) {
      throw new IllegalStateException("Java writes names that it cannot read: " + subject, e);
    }
  }

  private String alternativeName(X509Certificate certificate) {
    try {
      Collection<List<?>> names = certificate.getSubjectAlternativeNames();
      List<?> chosen =
          names == null
              ? null
              : names.stream()
                  .filter(name -> name.get(0).equals(type.number))
                  .skip(index)
                  .findFirst()
                  .orElse(null);
      if (chosen == null) {
        return null;
      }
      return chosen.get(1) instanceof byte[] der ? otherName(der) : (String) chosen.get(1);
    } catch (CertificateParsingException e) {
      return null;
    }
  }

  /**
   * Returns the text in DER of {@code OtherName}: a sequence of its type and, explicitly tagged,
   * its value; null if that is no text.
   */
  private static String otherName(byte[] der) {
    // In a certificate it is a choice of number 0, which stands for the sequence's own tag.
    ByteBuffer fields = element(ByteBuffer.wrap(der), SEQUENCE, EXPLICIT);
    if (fields == null || element(fields, OBJECT_ID) == null) {
      return null;
    }
    ByteBuffer value = element(fields, EXPLICIT);
    // Java writes that tag twice.
    while (value != null
        && value.hasRemaining()
        && (value.get(value.position()) & 0xff) == EXPLICIT) {
      value = element(value, EXPLICIT);
    }
    ByteBuffer text = value == null ? null : element(value, UTF8, PRINTABLE, IA5);
    return text == null ? null : StandardCharsets.UTF_8.decode(text).toString();
  }

  /** Reads an element with one of these tags; returns its content, or null if it has none. */
  private static ByteBuffer element(ByteBuffer in, Integer... tags) {
    if (in.remaining() < 2 || !List.of(tags).contains(in.get() & 0xff)) {
      return null;
    }
    int length = in.get() & 0xff;
    if (length > 0x80) {
      int bytes = length - 0x80;
      if (bytes > 2 || bytes > in.remaining()) {
        return null;
      }
      length = 0;
      for (int i = 0; i < bytes; i++) {
        length = (length << 8) | (in.get() & 0xff);
      }
    }
    if (length > in.remaining()) {
      return null;
    }
    ByteBuffer content = in.slice(in.position(), length);
    in.position(in.position() + length);
    return content;
  }
}
