package io.mayflymq.core.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.security.CertificateLogin.AlternativeName;
import io.mayflymq.core.security.CertificateLogin.Part;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import javax.security.auth.x500.X500Principal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CertificateLoginTest {
  /** Of /O=shop/CN=ann, with two names for hosts, two addresses, and one of each other type. */
  private static final X509Certificate ANN =
      certificate(
          """
          -----BEGIN CERTIFICATE-----
          MIIB6TCCAY6gAwIBAgIUOeviHn08Wf+Wx/iAJ85aeccQWLgwCgYIKoZIzj0EAwIw
          HTENMAsGA1UECgwEc2hvcDEMMAoGA1UEAwwDYW5uMCAXDTI2MTEyOTE2MDgxM1oY
          DzIxMjYxMTA1MTYwODEzWjAdMQ0wCwYDVQQKDARzaG9wMQwwCgYDVQQDDANhbm4w
          WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAT4BOkTD+Ea1czW1uuPtez0HHcrujxu
          nozi/Vb5KyQFYHVxAECPyZ5KD4dFPQjM2sUUVzoAFCjLVEBEp40hyix+o4GpMIGm
          MIGEBgNVHREEfTB7gg1maXJzdC5leGFtcGxlgg5zZWNvbmQuZXhhbXBsZYcECgAA
          B4cQIAENuAAAAAAAAAAAAAAAAYEQYW5uQHNob3AuZXhhbXBsZYYRc3BpZmZlOi8v
          c2hvcC9hbm6gHQYKKwYBBAGCNxQCA6APDA1hbm5AZGlyZWN0b3J5MB0GA1UdDgQW
          BBR9UD4DVLTrhJ6He4bH9+PxFnbl+DAKBggqhkjOPQQDAgNJADBGAiEA/9NC0hO8
          j7HaaA/pqST5HK6FOzj8ggMX90YmVIlPw9QCIQDa/M3oMqmKbNSvyNG9N4IflzIM
          ieghjKABKO+3RYgYow==
          -----END CERTIFICATE-----
          """);

  private static X509Certificate certificate(String pem) {
    try {
      return (X509Certificate)
          CertificateFactory.getInstance("X.509")
              .generateCertificate(
                  new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)));
    } catch (CertificateException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void subjectIsTheUser() {
    X500Principal subject = new X500Principal("EMAILADDRESS=a@b, CN=ann, CN=lee, OU=x, O=shop");
    assertThat(CertificateLogin.distinguishedName(subject))
        .isEqualTo("EMAILADDRESS=a@b,CN=ann,CN=lee,OU=x,O=shop");
    assertThat(CertificateLogin.commonName(subject)).isEqualTo("lee,ann");
    assertThat(CertificateLogin.commonName(new X500Principal("O=shop"))).isNull();
    assertThat(CertificateLogin.distinguishedName(new X500Principal(""))).isNull();
    assertThat(new CertificateLogin(Part.DISTINGUISHED_NAME, AlternativeName.DNS, 0).name(ANN))
        .isEqualTo("CN=ann,O=shop");
    assertThat(new CertificateLogin(Part.COMMON_NAME, AlternativeName.DNS, 0).name(ANN))
        .isEqualTo("ann");
  }

  @ParameterizedTest
  @CsvSource({
    "DNS, 0, first.example",
    "DNS, 1, second.example",
    "DNS, 2,",
    "IP, 0, 10.0.0.7",
    "EMAIL, 0, ann@shop.example",
    "URI, 0, spiffe://shop/ann",
    "OTHER_NAME, 0, ann@directory",
    "OTHER_NAME, 1,",
  })
  void alternativeNameIsTheUser(AlternativeName type, int index, String user) {
    assertThat(new CertificateLogin(Part.SUBJECT_ALTERNATIVE_NAME, type, index).name(ANN))
        .isEqualTo(user);
  }
}
