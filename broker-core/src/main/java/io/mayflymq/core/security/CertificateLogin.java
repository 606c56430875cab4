package io.mayflymq.core.security;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.security.auth.x500.X500Principal;

/**
 * Determines the name of the user from a client's certificate, as RabbitMQ's {@code
 * ssl_cert_login_from} does.
 */
public enum CertificateLogin {
  /** The subject as a whole, the most specific part first: {@code CN=ann,O=shop}. */
  DISTINGUISHED_NAME {
    @Override
    public String name(X500Principal subject) {
      String name = subject.getName(X500Principal.RFC2253, KEYWORDS);
      return name.isEmpty() ? null : name;
    }
  },
  /** The common name; several are joined by commas. */
  COMMON_NAME {
    @Override
    public String name(X500Principal subject) {
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
  };

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

  /** The name of the user, or null if the certificate has none. */
  public abstract String name(X500Principal subject);
}
