package io.mayflymq.server.auth.oauth2;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.crypto.impl.BaseJWSProvider;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.OctetKeyPair;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jwt.SignedJWT;
import java.io.ByteArrayOutputStream;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.Optional;
import java.util.Set;

/** A public key, and the algorithms that it is for: what a token names has no say in that. */
final class VerificationKey {
  private static final int LEAST_RSA_BITS = 2_048;
  private static final Set<JWSAlgorithm> RSA =
      Set.of(
          JWSAlgorithm.RS256,
          JWSAlgorithm.RS384,
          JWSAlgorithm.RS512,
          JWSAlgorithm.PS256,
          JWSAlgorithm.PS384,
          JWSAlgorithm.PS512);

  /** What stands before the 32 bytes of a key in its X.509 form (RFC 8410). */
  private static final byte[] ED25519_PREFIX = {
    0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00
  };

  private static final int ED25519_BYTES = 32;

  private final String id;
  private final JWSVerifier verifier;
  private final Set<JWSAlgorithm> algorithms;

  private VerificationKey(String id, JWSVerifier verifier, Set<JWSAlgorithm> algorithms) {
    this.id = id;
    this.verifier = verifier;
    this.algorithms = algorithms;
  }

  /**
   * Makes a key of a file.
   *
   * @throws TokenException if it is of a kind that is not known, or too short
   */
  static VerificationKey of(String id, PublicKey key) throws TokenException {
    try {
      if (key instanceof RSAPublicKey rsa) {
        if (rsa.getModulus().bitLength() < LEAST_RSA_BITS) {
          throw new TokenException(
              "an RSA key of %d bits, expected at least %d"
                  .formatted(rsa.getModulus().bitLength(), LEAST_RSA_BITS));
        }
        return new VerificationKey(id, new RSASSAVerifier(rsa), RSA);
      } else if (key instanceof ECPublicKey ec) {
        ECDSAVerifier verifier = new ECDSAVerifier(ec);
        return new VerificationKey(id, verifier, verifier.supportedJWSAlgorithms());
      } else if (key.getAlgorithm().equals("EdDSA")) {
        return new VerificationKey(id, new EdDsaVerifier(key), EdDsaVerifier.ALGORITHMS);
      }
    } catch (JOSEException e) {
      throw new TokenException(e.getMessage());
    }
    throw new TokenException(
        "a key of %s, expected RSA, EC or Ed25519".formatted(key.getAlgorithm()));
  }

  /**
   * Makes a key of a provider's set.
   *
   * @return empty if it is for something else than signatures of these kinds
   */
  static Optional<VerificationKey> of(JWK jwk) {
    if (jwk.getKeyUse() != null && !jwk.getKeyUse().equals(KeyUse.SIGNATURE)) {
      return Optional.empty();
    }
    try {
      PublicKey key;
      if (jwk instanceof RSAKey rsa) {
        key = rsa.toRSAPublicKey();
      } else if (jwk instanceof ECKey ec) {
        key = ec.toECPublicKey();
      } else if (jwk instanceof OctetKeyPair pair && pair.getCurve().equals(Curve.Ed25519)) {
        key = ed25519(pair.getDecodedX());
      } else {
        return Optional.empty();
      }
      VerificationKey any = of(jwk.getKeyID(), key);
      if (jwk.getAlgorithm() == null) {
        return Optional.of(any);
      }
      JWSAlgorithm only = JWSAlgorithm.parse(jwk.getAlgorithm().getName());
      return any.algorithms.contains(only)
          ? Optional.of(new VerificationKey(any.id, any.verifier, Set.of(only)))
          : Optional.empty();
    } catch (JOSEException | TokenException | GeneralSecurityException e) {
      return Optional.empty();
    }
  }

  private static PublicKey ed25519(byte[] x) throws GeneralSecurityException {
    if (x.length != ED25519_BYTES) {
      throw new GeneralSecurityException("expected 32 bytes");
    }
    ByteArrayOutputStream encoded = new ByteArrayOutputStream();
    encoded.writeBytes(ED25519_PREFIX);
    encoded.writeBytes(x);
    return KeyFactory.getInstance("Ed25519")
        .generatePublic(new X509EncodedKeySpec(encoded.toByteArray()));
  }

  /** Returns its id; null if it has none. */
  String id() {
    return id;
  }

  /** Returns whether a token is signed with the other half of this key. Any thread may call. */
  boolean verifies(SignedJWT token) {
    try {
      return algorithms.contains(token.getHeader().getAlgorithm()) && token.verify(verifier);
    } catch (JOSEException e) {
      return false;
    }
  }

  /** Ed25519 by Java itself: the library has it by a further library only. */
  private static final class EdDsaVerifier extends BaseJWSProvider implements JWSVerifier {
    static final Set<JWSAlgorithm> ALGORITHMS = Set.of(JWSAlgorithm.EdDSA, JWSAlgorithm.Ed25519);

    private final PublicKey key;

    EdDsaVerifier(PublicKey key) {
      super(ALGORITHMS);
      this.key = key;
    }

    @Override
    public boolean verify(JWSHeader header, byte[] signed, Base64URL signature)
        throws JOSEException {
      if (header.getCriticalParams() != null) {
        return false;
      }
      try {
        Signature ed25519 = Signature.getInstance("Ed25519");
        ed25519.initVerify(key);
        ed25519.update(signed);
        return ed25519.verify(signature.decode());
      } catch (GeneralSecurityException e) {
        throw new JOSEException(e.getMessage(), e);
      }
    }
  }
}
