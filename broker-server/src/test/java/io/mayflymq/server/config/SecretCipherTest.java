package io.mayflymq.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.server.config.EncryptedTerm.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Values that {@code rabbitmqctl encode} of RabbitMQ 4.3.6 has made, and those that we make. */
class SecretCipherTest {
  private static final SecretCipher DEFAULTS = SecretCipher.ofDefaults();

  @ParameterizedTest
  @CsvSource({
    "aes_192_cbc,sha,latUPHafRu0lWWBjdocTyCHqhF8dFOzp/VzErCuUUbZ8tu+TvtJLdkYbNozwYrZz",
    "aes_256_cbc,sha,9ge6J4Wx/rM9PiGBVsCefI6ZwTYepXVS5M5+uzjT++W0bf9XiRNQu1X+z2n+X1DB",
    "aes_256_cbc,sha224,Ij+Qdgrr0LokvrAkpXExAvGa1pBQ9/SnT/AOz6AZU3PhAX5hbqZgFimkE2+ejT7W",
    "aes_256_cbc,sha256,wHVWZInt8YM6ILY9qkw+eng77zyVDQsP0LE0iCxGZEL208zlisViqzAjjNnmXUCz",
    "aes_256_cbc,sha384,4TE4Je2oCKiiOxdedbutisH9dfctbb+rFHbkY9OQa+8pVUYv04WAIkJgXkwmafXw",
    "aes_256_cbc,sha512,NXFW+JjiRSFAtC6UqEwYAzudMAvpMy8IwsAJqfFa8SDYnZXwiFWUpNtj3SSpGPPR",
    "aes_256_cfb8,sha,tqfvqVkY7xEADja0w4kEEb3xLNld8N6OfYJlYnOzRZ2c56dUNX3nC9Di",
    "aes_128_cfb128,sha,Fxef44b0F5PxdW7uaXJF7f6WsOoJYH9uRYBzTjoHMXVb2NBfjILrIg6W",
    "aes_256_ofb,sha,LQPE7DmoqflRJyrvY2OJb+21/VrOlkfUZfgEwk6e2Jfzbe7XCSeqj6L8",
    "aes_192_ctr,sha,RLWm645EGf1u9G6nAOJW3Tz0+PkOIgH1GRkspiMpjKqBHG7E0Ubl9ijo",
  })
  void valuesOfRabbitMqAreDecrypted(String cipher, String hash, String base64) {
    assertThat(new SecretCipher(cipher, hash, 1000).decrypt(base64, "pass"))
        .contains(new EncryptedTerm(Kind.BINARY, "bin"));
  }

  @ParameterizedTest
  @CsvSource({
    "STRING,pässwörd,PgWGCw61lVmP0CWALxR+Ybp8DCoyGVZAulNHvCpTKIFuEhcdUX4rHhNWfFC9r8dt",
    "BINARY,bin,J2yGy29OfRw5n+R+LdKA2nxjoJxu5xzwJm1NKsobJPOXqyZh8qOfIXS2ZgZYdhCe",
    "BINARY,pä,CNqABxXJT8pp0SE3P2h78MrYXSx0A7JXPxS1zlNSxFt3N8DqaQHu9SccnUtsVha/",
    "ATOM,atom,A7CW1+gN6pBYJppEEycfaWrPk2EvQqSI7PE7NJLbKuiA+WXBWrsaHfuL0tqmPYSG",
    "STRING,€uro,J3fKxYthRdTX64hG0SCTwtFHmAQOWCXX5KzvL0Dhu4TSFw3AS/6D7MFY8Rt9cEAY37OPJzmTQPsGqBnV+s68PQ==",
    "STRING,'',kNZrivuX9SywVy/02leQmX9sycIIfzbdadHrty3Bp0UiCX30/cgCodkjwTBpb6lT",
  })
  void textsThatRabbitMqWritesAsTermsAreRead(Kind kind, String text, String base64) {
    assertThat(DEFAULTS.decrypt(base64, "pass phräse")).contains(new EncryptedTerm(kind, text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "T+ip+kiOmGMnaqamPBSfWWMi3SMGgsYsNPl7JK68CwDrsjfa3YZfuO6rnLAVZZMb", // {a,b}
        "PQCSCj+kw1VXzVYlS8jc8y34x5VN8y1a8SqxGzYDsXE2LSWOQsRGDj3SbdeIw0NK", // 42
        "",
        "no base64",
        "AAAA",
        "J2yGy29OfRw5n+R+LdKA2nxjoJxu5xzwJm1NKsobJPOXqyZh8qOfIXS2ZgZYdhA="
      })
  void whatIsNoEncryptedTextIsNotDecrypted(String base64) {
    assertThat(DEFAULTS.decrypt(base64, "pass phräse")).isEmpty();
  }

  @Test
  void anotherPassphraseDecryptsNothing() {
    String base64 = "J2yGy29OfRw5n+R+LdKA2nxjoJxu5xzwJm1NKsobJPOXqyZh8qOfIXS2ZgZYdhCe";
    assertThat(DEFAULTS.decrypt(base64, "pass phrase")).isEmpty();
  }

  @Test
  void everyCipherAndHashDecryptsWhatItHasEncrypted() {
    for (String cipher : SecretCipher.CIPHERS) {
      for (String hash : SecretCipher.HASHES) {
        SecretCipher with = new SecretCipher(cipher, hash, 3);
        for (Kind kind : new Kind[] {Kind.BINARY, Kind.STRING}) {
          EncryptedTerm text = new EncryptedTerm(kind, "sixteen bytes pä€𝄞");
          String base64 = with.encrypt(text, "secret");
          assertThat(with.decrypt(base64, "secret")).as(cipher + hash).contains(text);
          assertThat(with.encrypt(text, "secret")).isNotEqualTo(base64);
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "plain,BINARY,plain",
    "<<\"bytes\">>,BINARY,bytes",
    "<<\"pä\"/utf8>>,BINARY,pä",
    "\"list\",STRING,list",
    "\"a\\\"b\\\\\",STRING,a\"b\\",
    "\"open,BINARY,\"open",
    "<<\"open\",BINARY,<<\"open\"",
  })
  void valueMayBeWrittenAsInErlang(String written, Kind kind, String text) {
    EncryptedTerm read = EncryptedTerm.written(written);
    assertThat(read).isEqualTo(new EncryptedTerm(kind, text));
    assertThat(EncryptedTerm.written(read.literal())).isEqualTo(read);
  }
}
