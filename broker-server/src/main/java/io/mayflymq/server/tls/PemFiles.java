package io.mayflymq.server.tls;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/** Reads certificates and private keys from PEM files (RFC 7468). */
public final class PemFiles {
  private static final Pattern KEY =
      Pattern.compile("-----BEGIN ([A-Z ]*)PRIVATE KEY-----([^-]+)-----END \\1PRIVATE KEY-----");

  private static final Pattern PUBLIC_KEY =
      Pattern.compile("-----BEGIN PUBLIC KEY-----([^-]+)-----END PUBLIC KEY-----");

  private static final List<String> KEY_ALGORITHMS = List.of("RSA", "EC", "EdDSA");

  /**
   * What stands before the modulus and so on of an RSA key in PKCS#8: its version and algorithm.
   */
  private static final byte[] RSA_PREFIX = {
    0x02,
    0x01,
    0x00,
    0x30,
    0x0d,
    0x06,
    0x09,
    0x2a,
    (byte) 0x86,
    0x48,
    (byte) 0x86,
    (byte) 0xf7,
    0x0d,
    0x01,
    0x01,
    0x01,
    0x05,
    0x00
  };

  private PemFiles() {}

  /**
   * Returns the certificates of a file, in order.
   *
   * @param option the configuration key that names the file, for errors
   * @throws TlsException if it cannot be read, or holds none
   */
  public static List<X509Certificate> certificates(String option, Path file) throws TlsException {
    byte[] bytes = read(option, file);
    List<X509Certificate> certificates = new ArrayList<>();
    try {
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      for (Certificate certificate :
          factory.generateCertificates(new ByteArrayInputStream(bytes))) {
        certificates.add((X509Certificate) certificate);
      }
    } catch (GeneralSecurityException e) {
      throw new TlsException(
          "%s: %s holds no certificates in PEM: %s".formatted(option, file, e.getMessage()), e);
    }
    if (certificates.isEmpty()) {
      throw new TlsException("%s: %s holds no certificate in PEM".formatted(option, file));
    }
    return certificates;
  }

  /**
   * Returns the private key of a file: PKCS#8, encrypted or not, or RSA's own PKCS#1.
   *
   * @param prefix what the configuration keys of the file and of its password begin with, for
   *     errors
   * @throws TlsException if it cannot be read, or holds none
   */
  public static PrivateKey privateKey(String prefix, Path file, Optional<String> password)
      throws TlsException {
    String option = prefix + ".keyfile";
    String passwordOption = prefix + ".password";
    String text = new String(read(option, file), StandardCharsets.ISO_8859_1);
    Matcher pem = KEY.matcher(text);
    if (!pem.find()) {
      throw new TlsException("%s: %s holds no private key in PEM".formatted(option, file));
    }
    String kind = pem.group(1).strip();
    try {
      byte[] bytes = Base64.getMimeDecoder().decode(pem.group(2));
      return switch (kind) {
        case "" -> ofPkcs8(new PKCS8EncodedKeySpec(bytes));
        case "RSA" -> {
          if (text.contains("Proc-Type")) {
            throw needsConversion(option, file);
          }
          yield ofPkcs8(new PKCS8EncodedKeySpec(wrapRsa(bytes)));
        }
        case "ENCRYPTED" -> {
          if (password.isEmpty()) {
            throw new TlsException(
                "%s: the key in %s is encrypted: set %s".formatted(option, file, passwordOption));
          }
          yield ofPkcs8(decrypt(bytes, password.get()));
        }
        default -> throw needsConversion(option, file);
      };
    } catch (GeneralSecurityException | IOException | IllegalArgumentException e) {
      throw new TlsException(
          "%s: the private key in %s cannot be read%s"
              .formatted(option, file, kind.equals("ENCRYPTED") ? " with " + passwordOption : ""),
          e);
    }
  }

  /**
   * Returns the public key of a file, which may be in a certificate.
   *
   * @param option the configuration key that names the file, for errors
   * @throws TlsException if it cannot be read, or holds none
   */
  public static PublicKey publicKey(String option, Path file) throws TlsException {
    String text = new String(read(option, file), StandardCharsets.ISO_8859_1);
    if (text.contains("-----BEGIN CERTIFICATE-----")) {
      return certificates(option, file).get(0).getPublicKey();
    }
    Matcher pem = PUBLIC_KEY.matcher(text);
    if (pem.find()) {
      try {
        X509EncodedKeySpec spec =
            new X509EncodedKeySpec(Base64.getMimeDecoder().decode(pem.group(1)));
        for (String algorithm : KEY_ALGORITHMS) {
          try {
            return KeyFactory.getInstance(algorithm).generatePublic(spec);
          } catch (InvalidKeySpecException e) {
            // it may be of another algorithm
          }
        }
      } catch (GeneralSecurityException | IllegalArgumentException e) {
        throw new TlsException(
            "%s: the public key in %s cannot be read: %s".formatted(option, file, e.getMessage()),
            e);
      }
    }
    throw new TlsException(
        "%s: %s holds no public key in PEM, of RSA, EC or Ed25519".formatted(option, file));
  }

  private static TlsException needsConversion(String option, Path file) {
    return new TlsException(
        "%s: the private key in %s is in an old form; convert it: openssl pkcs8 -topk8 -in %s"
            .formatted(option, file, file));
  }

  private static PrivateKey ofPkcs8(PKCS8EncodedKeySpec spec) throws GeneralSecurityException {
    InvalidKeySpecException refusal = new InvalidKeySpecException("no key");
    for (String algorithm : KEY_ALGORITHMS) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(spec);
      } catch (InvalidKeySpecException e) {
        refusal = e;
      }
    }
    throw refusal;
  }

  private static PKCS8EncodedKeySpec decrypt(byte[] bytes, String password)
      throws GeneralSecurityException, IOException {
    EncryptedPrivateKeyInfo encrypted = new EncryptedPrivateKeyInfo(bytes);
    AlgorithmParameters parameters = encrypted.getAlgParameters();
    // The names of PBES2 are in the parameters, as Java has it.
    String algorithm =
        encrypted.getAlgName().equals("PBES2") ? parameters.toString() : encrypted.getAlgName();
    Key key =
        SecretKeyFactory.getInstance(algorithm)
            .generateSecret(new PBEKeySpec(password.toCharArray()));
    Cipher cipher = Cipher.getInstance(algorithm);
    cipher.init(Cipher.DECRYPT_MODE, key, parameters);
    return encrypted.getKeySpec(cipher);
  }

  /** Puts an RSA key of PKCS#1 into the envelope of PKCS#8. */
  private static byte[] wrapRsa(byte[] key) {
    ByteArrayOutputStream inner = new ByteArrayOutputStream();
    inner.writeBytes(RSA_PREFIX);
    writeDer(inner, 0x04, key);
    ByteArrayOutputStream outer = new ByteArrayOutputStream();
    writeDer(outer, 0x30, inner.toByteArray());
    return outer.toByteArray();
  }

  private static void writeDer(ByteArrayOutputStream out, int tag, byte[] content) {
    out.write(tag);
    int length = content.length;
    if (length < 0x80) {
      out.write(length);
    } else if (length < 0x100) {
      out.write(0x81);
      out.write(length);
    } else {
      out.write(0x82);
      out.write(length >> 8);
      out.write(length);
    }
    out.writeBytes(content);
  }

  private static byte[] read(String option, Path file) throws TlsException {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      String reason = e instanceof NoSuchFileException ? "no such file" : e.getMessage();
      throw new TlsException("%s: cannot read %s: %s".formatted(option, file, reason), e);
    }
  }
}
