#!/usr/bin/env bash
# The usual way to check a JWT in Java rejects every token that is signed with Ed25519, however it is configured.
#
# With:      nimbus-jose-jwt 10.10, Java 17
# Expected:  a DefaultJWTProcessor whose key selector has EdDSA among its algorithms, and whose key set has the Ed25519 key that the
#            token names, takes the token: the library has JWSAlgorithm.EdDSA, reads such keys, and Java itself verifies Ed25519
#            since version 15.
# Happens:   "Signed JWT rejected: Another algorithm expected, or no matching key(s) found", although both match. The selector turns
#            keys into Java's, which an OctetKeyPair cannot become, and leaves it out in silence; the factory of verifiers does not
#            have EdDSA either. Ed25519Verifier by itself does, but ends with NoClassDefFoundError, as its dependency on Tink is
#            optional. The same token with an EC key passes.
# Who meets it: services that log users in by tokens of a provider whose keys were rotated to Ed25519 (EdDSA): from then on each
#            login fails, with a message that sends people to look for a wrong algorithm or a missing key.
. "$(dirname "$0")/lib.bash"

java_packages com.nimbusds:nimbus-jose-jwt:10.10

cat >"$work/Tokens.java" <<'JAVA'
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.Ed25519Verifier;
import com.nimbusds.jose.crypto.factories.DefaultJWSVerifierFactory;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.OctetKeyPair;
import com.nimbusds.jose.jwk.source.ImmutableJWKSet;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;

public class Tokens {
  public static void main(String[] args) throws Exception {
    KeyPair ed = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    byte[] encoded = ed.getPublic().getEncoded();
    byte[] x = Arrays.copyOfRange(encoded, encoded.length - 32, encoded.length);
    OctetKeyPair edKey = new OctetKeyPair.Builder(Curve.Ed25519, Base64URL.encode(x)).keyID("ed").build();
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(256);
    KeyPair ec = generator.generateKeyPair();
    ECKey ecKey = new ECKey.Builder(Curve.P_256, (ECPublicKey) ec.getPublic()).keyID("ec").build();

    SignedJWT ofEc = token(JWSAlgorithm.ES256, "ec");
    ofEc.sign(new ECDSASigner(ec.getPrivate(), Curve.P_256));
    SignedJWT unsigned = token(JWSAlgorithm.EdDSA, "ed");
    Signature signature = Signature.getInstance("Ed25519");
    signature.initSign(ed.getPrivate());
    signature.update(unsigned.getSigningInput());
    byte[] signed = signature.sign();
    String ofEd = new String(unsigned.getSigningInput(), StandardCharsets.US_ASCII) + "." + Base64URL.encode(signed);

    DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();
    processor.setJWSKeySelector(
        new JWSVerificationKeySelector<>(
            Set.of(JWSAlgorithm.EdDSA, JWSAlgorithm.ES256), new ImmutableJWKSet<>(new JWKSet(List.of(edKey, ecKey)))));
    PublicKey plain = ed.getPublic();
    boolean same =
        shown("Java itself, Ed25519", () -> verifies(plain, unsigned.getSigningInput(), signed), "true")
            & shown("the processor, ES256", () -> processor.process(ofEc.serialize(), null).getSubject(), "ann")
            & shown("the processor, EdDSA", () -> processor.process(ofEd, null).getSubject(), "no matching key")
            & shown("the factory, EdDSA", () -> new DefaultJWSVerifierFactory().createJWSVerifier(unsigned.getHeader(), plain), "Unsupported")
            & shown("Ed25519Verifier", () -> SignedJWT.parse(ofEd).verify(new Ed25519Verifier(edKey)), "NoClassDefFoundError");
    System.exit(same ? 0 : 1);
  }

  static SignedJWT token(JWSAlgorithm algorithm, String id) {
    return new SignedJWT(
        new JWSHeader.Builder(algorithm).keyID(id).build(),
        new JWTClaimsSet.Builder().subject("ann").expirationTime(new Date(System.currentTimeMillis() + 600_000)).build());
  }

  static boolean verifies(PublicKey key, byte[] input, byte[] signed) throws Exception {
    Signature signature = Signature.getInstance("Ed25519");
    signature.initVerify(key);
    signature.update(input);
    return signature.verify(signed);
  }

  static boolean shown(String what, Callable<?> check, String part) {
    String seen;
    try {
      seen = String.valueOf(check.call());
    } catch (Exception | LinkageError e) {
      seen = e.toString();
    }
    System.out.printf("%-24s %s%n", what, seen);
    return seen.contains(part);
  }
}
JAVA

if java -cp "$work/lib/*" "$work/Tokens.java"; then verdict true; else verdict false; fi
