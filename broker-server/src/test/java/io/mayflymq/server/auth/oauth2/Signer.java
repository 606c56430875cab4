package io.mayflymq.server.auth.oauth2;

import com.nimbusds.jose.Algorithm;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.OctetKeyPair;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.mayflymq.server.config.ClientTlsSettings;
import io.mayflymq.server.config.OAuthSettings.TokenProvider;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.text.ParseException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Signs tokens, as a provider does. */
final class Signer {
  private final JWK jwk;
  private final PrivateKey key;
  private final JWSAlgorithm algorithm;

  private Signer(JWK jwk, PrivateKey key, JWSAlgorithm algorithm) {
    this.jwk = jwk;
    this.key = key;
    this.algorithm = algorithm;
  }

  static TokenProvider provider() {
    return new TokenProvider(
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Map.of(),
        Optional.empty(),
        Set.of(
            "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512",
            "EdDSA"),
        new ClientTlsSettings(
            "auth_oauth2.https",
            true,
            Optional.empty(),
            true,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            List.of()));
  }

  static Signer rsa(String id) {
    KeyPair pair = pair("RSA", 2_048);
    RSAPublicKey known = (RSAPublicKey) pair.getPublic();
    return new Signer(
        new RSAKey.Builder(known).keyID(id).build(), pair.getPrivate(), JWSAlgorithm.RS256);
  }

  static Signer ec(String id) {
    return ec(id, Curve.P_256, 256, JWSAlgorithm.ES256);
  }

  static Signer ec384(String id) {
    return ec(id, Curve.P_384, 384, JWSAlgorithm.ES384);
  }

  private static Signer ec(String id, Curve curve, int bits, JWSAlgorithm algorithm) {
    KeyPair pair = pair("EC", bits);
    return new Signer(
        new ECKey.Builder(curve, (ECPublicKey) pair.getPublic()).keyID(id).build(),
        pair.getPrivate(),
        algorithm);
  }

  static Signer ed25519(String id) {
    KeyPair pair = pair("Ed25519", 0);
    byte[] encoded = pair.getPublic().getEncoded();
    byte[] x = Arrays.copyOfRange(encoded, encoded.length - 32, encoded.length);
    return new Signer(
        new OctetKeyPair.Builder(Curve.Ed25519, Base64URL.encode(x)).keyID(id).build(),
        pair.getPrivate(),
        JWSAlgorithm.EdDSA);
  }

  /** One whose key is a shared secret. */
  static Signer shared(String id) {
    return new Signer(ec(id).jwk, null, JWSAlgorithm.HS256);
  }

  private static KeyPair pair(String algorithm, int bits) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
      if (bits > 0) {
        generator.initialize(bits);
      }
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns the same, whose key says that it is for one algorithm only. */
  Signer only(String name) {
    return new Signer(
        new RSAKey.Builder(jwk.toRSAKey()).algorithm(new Algorithm(name)).build(), key, algorithm);
  }

  /** Returns the public key. */
  JWK jwk() {
    return jwk;
  }

  SignedJWT sign(Map<String, Object> claims) {
    return sign(claims, algorithm, jwk.getKeyID());
  }

  SignedJWT sign(Map<String, Object> claims, String name) {
    return sign(claims, JWSAlgorithm.parse(name), jwk.getKeyID());
  }

  SignedJWT signWithoutId(Map<String, Object> claims) {
    return sign(claims, algorithm, null);
  }

  private SignedJWT sign(Map<String, Object> claims, JWSAlgorithm by, String id) {
    JWSHeader header = new JWSHeader.Builder(by).keyID(id).build();
    try {
      SignedJWT token = new SignedJWT(header, JWTClaimsSet.parse(claims));
      if (by.equals(JWSAlgorithm.EdDSA)) {
        return new SignedJWT(
            header.toBase64URL(),
            token.getPayload().toBase64URL(),
            Base64URL.encode(ed25519(token.getSigningInput())));
      }
      token.sign(signer(by));
      return token;
    } catch (JOSEException | ParseException | GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  private byte[] ed25519(byte[] input) throws GeneralSecurityException {
    Signature signature = Signature.getInstance("Ed25519");
    signature.initSign(key);
    signature.update(input);
    return signature.sign();
  }

  private JWSSigner signer(JWSAlgorithm by) throws JOSEException {
    if (by.equals(JWSAlgorithm.HS256)) {
      return new MACSigner("x".repeat(32).getBytes(StandardCharsets.US_ASCII));
    }
    return jwk instanceof ECKey ec ? new ECDSASigner(key, ec.getCurve()) : new RSASSASigner(key);
  }
}
