package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.bool;
import static io.mayflymq.server.config.ValueTypes.httpUrl;
import static io.mayflymq.server.config.ValueTypes.orWord;
import static io.mayflymq.server.config.ValueTypes.path;
import static io.mayflymq.server.config.ValueTypes.text;
import static io.mayflymq.server.config.ValueTypes.wholeNumber;
import static io.mayflymq.server.config.ValueTypes.word;

import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Logging in by tokens (the keys {@code auth_oauth2.*}).
 *
 * @param servers what tokens are for: a token names one of them in its claim {@code aud}
 * @param providers who issues tokens, by name; that of the keys without a name is {@link #ROOT}
 * @param toleranceSeconds how much later than a token says it still counts, and how much earlier
 */
public record OAuthSettings(
    List<ResourceServer> servers, Map<String, TokenProvider> providers, int toleranceSeconds) {
  /** The name of the provider whose keys have no name. */
  public static final String ROOT = "";

  /**
   * What a token is for, and what its claims mean.
   *
   * @param id what the claim {@code aud} of a token must name
   * @param scopePrefix what scopes begin with that count
   * @param type of rich authorization requests; empty if these do not count
   * @param verifiesAudience whether the claim {@code aud} counts
   * @param requiresExpiry whether a token must have an end
   * @param scopeClaims further claims with scopes: paths of names
   * @param aliases scopes that stand for others
   * @param usernameClaims where the name of the user is; empty for {@code sub}, then {@code
   *     client_id}
   * @param provider the name of whose tokens count
   */
  public record ResourceServer(
      String id,
      String scopePrefix,
      Optional<String> type,
      boolean verifiesAudience,
      boolean requiresExpiry,
      List<List<String>> scopeClaims,
      Map<String, List<String>> aliases,
      List<String> usernameClaims,
      String provider) {}

  /**
   * Who issues tokens.
   *
   * @param issuer what the claim {@code iss} must be, and where the provider describes itself
   * @param discovery where exactly; empty without an issuer
   * @param keySet where its keys are; empty for where it says that they are
   * @param tokenEndpoint where a code becomes a token; the same is true for this and the next one
   * @param authorizationEndpoint where users log in
   * @param signingKeys files with public keys in PEM, by the key's id
   * @param defaultKey the id of the key of tokens that name none
   * @param algorithms names that count, as in RFC 7518 and RFC 8037
   * @param tls how it is reached
   */
  public record TokenProvider(
      Optional<URI> issuer,
      Optional<URI> discovery,
      Optional<URI> keySet,
      Optional<URI> tokenEndpoint,
      Optional<URI> authorizationEndpoint,
      Map<String, Path> signingKeys,
      Optional<String> defaultKey,
      Set<String> algorithms,
      ClientTlsSettings tls) {
    /** Returns whether it is known where users log in, or where that can be asked. */
    boolean canLogUsersIn() {
      return discovery.isPresent()
          || (authorizationEndpoint.isPresent() && tokenEndpoint.isPresent());
    }
  }

  /** Returns the provider of the first resource server: users of the page log in there. */
  public TokenProvider first() {
    return providers.get(servers.get(0).provider());
  }

  static final Section SECTION = new Section("Logging in by tokens");

  private static final String PREFIX = "auth_oauth2.";
  private static final String SERVERS = "auth_oauth2.resource_servers.";
  private static final String PROVIDERS = "auth_oauth2.oauth_providers.";
  private static final int MOST_TOLERANCE = 300;
  private static final String[] ALGORITHMS = {
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"
  };

  // What tokens are for

  private static final Setting<Optional<String>> SERVER_ID =
      server(
          "resource_server_id",
          orWord("none", text()),
          "none",
          "What the claim `aud` of a [token](auth-oauth2.md) must name.");
  private static final Setting<Optional<String>> SCOPE_PREFIX =
      server(
          "scope_prefix",
          orWord("none", new ValueType<>("a text, also the empty one", Optional::of)),
          "none",
          "What scopes begin with; others do not count. `none`: the id of the resource server and"
              + " a dot.");
  private static final Setting<Optional<String>> SERVER_TYPE =
      server(
          "resource_server_type",
          orWord("none", text()),
          "none",
          "The `type` of the rich authorization requests (RFC 9396) that count.");
  private static final Setting<Boolean> VERIFY_AUD =
      server("verify_aud", bool(), "true", "Whether the claim `aud` counts.");
  private static final Setting<Boolean> REQUIRE_EXP =
      server("require_exp", bool(), "true", "Whether a token must have the claim `exp`, its end.");
  private static final Setting<Optional<String>> SCOPE_CLAIMS =
      server(
          "additional_scopes_key",
          orWord("none", text()),
          "none",
          "Further claims with scopes, separated by blanks; a claim in another one is"
              + " `realm_access.roles`.");
  private static final KeyFamily<String> ALIASES =
      SECTION.add(
          new KeyFamily<>(
              PREFIX + "scope_aliases.",
              "$alias",
              text(),
              Map.of(),
              "The scopes that a scope stands for, separated by blanks. An alias with other"
                  + " characters than letters, digits, `_` and `-` is written as"
                  + " `scope_aliases.$n.alias` and `scope_aliases.$n.scope`."));
  private static final KeyFamily<String> USERNAME_CLAIMS =
      SECTION.add(
          new KeyFamily<>(
              PREFIX + "preferred_username_claims.",
              "$n",
              text(),
              Map.of(),
              "Claims that have the name of the user, tried in order; by default `sub`, then"
                  + " `client_id`. Without any the user is `unknown`."));
  private static final Setting<Optional<String>> DEFAULT_PROVIDER =
      server(
          "default_oauth_provider",
          orWord("none", text()),
          "none",
          "The provider whose tokens count, if there are several.");
  private static final KeyFamily<String> RESOURCE_SERVERS =
      SECTION.add(
          new KeyFamily<>(
              SERVERS,
              "$name_and_key",
              new ValueType<>("a text", Optional::of),
              Map.of(),
              "The same keys for [further resource servers](auth-oauth2.md#several), such as"
                  + " `resource_servers.1.id` and `resource_servers.1.scope_prefix`, and"
                  + " `oauth_provider_id`. What is not set is as for the first."));

  // Who issues them

  private static final Setting<Optional<URI>> ISSUER =
      provider(
          "issuer",
          "Who issues tokens: what their claim `iss` must be. The provider describes itself"
              + " there, with its keys.");
  private static final Setting<String> DISCOVERY_PATH =
      SECTION.add(
          Setting.of(
              PREFIX + "discovery_endpoint_path",
              text(),
              ".well-known/openid-configuration",
              "Where it describes itself, below `issuer`."));
  private static final KeyFamily<String> DISCOVERY_PARAMS =
      SECTION.add(
          new KeyFamily<>(
              PREFIX + "discovery_endpoint_params.",
              "$name",
              text(),
              Map.of(),
              "Parameters of that URL."));
  private static final Setting<Optional<URI>> KEY_SET =
      provider("jwks_uri", "Where its keys are, if it does not say so itself.");
  private static final Setting<Optional<URI>> OLD_KEY_SET =
      provider("jwks_url", "An older name of `auth_oauth2.jwks_uri`.");
  private static final Setting<Optional<URI>> TOKEN_ENDPOINT =
      provider("token_endpoint", "Where the broker gets tokens for the management page.");
  private static final Setting<Optional<URI>> AUTHORIZATION_ENDPOINT =
      provider("authorization_endpoint", "Where users of the management page log in.");
  private static final KeyFamily<Path> SIGNING_KEYS =
      SECTION.add(
          new KeyFamily<>(
              PREFIX + "signing_keys.",
              "$kid",
              path(),
              Map.of(),
              "A public key or certificate, in PEM, by the id that tokens have in `kid`."));
  private static final Setting<Optional<String>> DEFAULT_KEY =
      server(
          "default_key",
          orWord("none", text()),
          "none",
          "The id of the key of tokens without a `kid`; `none`: the only key, or those without an"
              + " id.");
  private static final KeyFamily<String> ALGORITHM_NAMES =
      SECTION.add(
          new KeyFamily<>(
              PREFIX + "algorithms.",
              "$n",
              word(ALGORITHMS),
              algorithmsByDefault(),
              "Algorithms of signatures that count."));
  private static final Setting<Optional<String>> PEER_VERIFICATION =
      SECTION.add(
          Setting.of(
              PREFIX + "https.peer_verification",
              orWord("none", word("verify_peer", "verify_none")),
              "none",
              "Another name of `auth_oauth2.https.verify`."));
  private static final ClientTlsKeys TLS =
      new ClientTlsKeys(SECTION, PREFIX + "https", "the provider");
  private static final KeyFamily<String> OAUTH_PROVIDERS =
      SECTION.add(
          new KeyFamily<>(
              PROVIDERS,
              "$name_and_key",
              text(),
              Map.of(),
              "The same keys for [further providers](auth-oauth2.md#several), such as"
                  + " `oauth_providers.keycloak.issuer`."));
  private static final Setting<Integer> TOLERANCE =
      SECTION.add(
          Setting.of(
              PREFIX + "clock_tolerance",
              wholeNumber("seconds", 0, MOST_TOLERANCE),
              "5",
              "How far the clocks of the broker and of a provider may be apart: a token counts so"
                  + " much longer than its `exp`, and so much earlier than its `nbf`."));

  /** What a further resource server can have, and which key of the first one means the same. */
  private static final Map<String, Key<?>> OF_SERVERS =
      Map.ofEntries(
          Map.entry("id", SERVER_ID),
          Map.entry("scope_prefix", SCOPE_PREFIX),
          Map.entry("resource_server_type", SERVER_TYPE),
          Map.entry("verify_aud", VERIFY_AUD),
          Map.entry("require_exp", REQUIRE_EXP),
          Map.entry("additional_scopes_key", SCOPE_CLAIMS),
          Map.entry("scope_aliases.", ALIASES),
          Map.entry("preferred_username_claims.", USERNAME_CLAIMS),
          Map.entry("oauth_provider_id", DEFAULT_PROVIDER));

  /** The same for providers. */
  private static final Map<String, Key<?>> OF_PROVIDERS = ofProviders();

  private static final Pattern NAME_AND_KEY = Pattern.compile("([A-Za-z0-9_-]{1,64})\\.(.+)");

  private static <T> Setting<T> server(
      String name, ValueType<T> type, String byDefault, String doc) {
    return SECTION.add(Setting.of(PREFIX + name, type, byDefault, doc));
  }

  private static Setting<Optional<URI>> provider(String name, String doc) {
    return SECTION.add(Setting.of(PREFIX + name, orWord("none", httpUrl()), "none", doc));
  }

  private static Map<String, String> algorithmsByDefault() {
    Map<String, String> names = new LinkedHashMap<>();
    for (String name : ALGORITHMS) {
      names.put(PREFIX + "algorithms." + (names.size() + 1), name);
    }
    return Map.copyOf(names);
  }

  /**
   * Reads the keys.
   *
   * @param isUsed whether users log in by tokens: then what is needed has to be there
   * @throws ConfigException naming each key that is wrong or missing
   */
  static OAuthSettings of(SettingValues values, boolean isUsed) throws ConfigException {
    ConfigErrors errors = new ConfigErrors();
    Map<String, TokenProvider> providers = providers(values, errors);
    List<ResourceServer> servers = servers(values, providers, errors);
    if (isUsed) {
      require(servers, providers, errors);
    }
    errors.throwIfAny();
    return new OAuthSettings(List.copyOf(servers), Map.copyOf(providers), values.get(TOLERANCE));
  }

  // Keys below a name

  private static Map<String, Key<?>> ofProviders() {
    Map<String, Key<?>> keys = new TreeMap<>();
    SECTION.keys().stream()
        .dropWhile(key -> !key.equals(ISSUER))
        .takeWhile(key -> !key.equals(OAUTH_PROVIDERS))
        .forEach(
            key ->
                keys.put(
                    (key instanceof KeyFamily<?> family ? family.prefix() : key.name())
                        .substring(PREFIX.length()),
                    key));
    return keys;
  }

  /**
   * Reads a family whose members are a name and one of the keys without a name.
   *
   * @param keys which ones, by what follows the name; a family's ends in a dot
   * @return the entries of each name, as of the keys without a name
   */
  private static SortedMap<String, List<FileEntry>> below(
      SettingValues values,
      KeyFamily<String> family,
      Map<String, Key<?>> keys,
      ConfigErrors errors) {
    SortedMap<String, List<FileEntry>> below = new TreeMap<>();
    for (FileEntry entry : values.entries(family)) {
      Matcher member = NAME_AND_KEY.matcher(family.memberName(entry.key()));
      Optional<Map.Entry<String, Key<?>>> same =
          member.matches()
              ? keys.entrySet().stream().filter(key -> isOf(key, member.group(2))).findFirst()
              : Optional.empty();
      if (same.isEmpty() && isIgnored(member, entry.value())) {
        continue;
      }
      if (same.isEmpty()) {
        errors.add(
            "key %s (value '%s'): expected %sNAME.KEY with one of the keys %s"
                .formatted(
                    ConfigException.quote(entry.key()),
                    entry.value(),
                    family.prefix(),
                    keys.keySet().stream()
                        .sorted()
                        .map(key -> key.endsWith(".") ? key + "*" : key)
                        .collect(Collectors.joining(", "))));
        continue;
      }
      Key<?> key = same.get().getValue();
      if (key.type().parser().apply(entry.value()).isEmpty()) {
        errors.add(
            "key %s: expected %s, found '%s'"
                .formatted(
                    ConfigException.quote(entry.key()), key.type().expected(), entry.value()));
        continue;
      }
      String name =
          key instanceof KeyFamily<?> of
              ? of.prefix() + member.group(2).substring(same.get().getKey().length())
              : key.name();
      below
          .computeIfAbsent(member.group(1), each -> new ArrayList<>())
          .add(new FileEntry(entry.origin(), name, entry.value()));
    }
    return below;
  }

  private static boolean isIgnored(Matcher member, String value) {
    return member.matches()
        && ForeignKeys.find(PREFIX + member.group(2), value)
            .filter(entry -> !entry.isRefused())
            .isPresent();
  }

  private static boolean isOf(Map.Entry<String, Key<?>> key, String name) {
    return key.getValue() instanceof KeyFamily<?>
        ? name.startsWith(key.getKey()) && name.length() > key.getKey().length()
        : name.equals(key.getKey());
  }

  // Resource servers

  private static List<ResourceServer> servers(
      SettingValues values, Map<String, TokenProvider> providers, ConfigErrors errors) {
    List<ResourceServer> servers = new ArrayList<>();
    Set<String> ids = new HashSet<>();
    values
        .get(SERVER_ID)
        .ifPresent(
            id -> {
              ids.add(id);
              servers.add(server(id, values, values, providers, errors));
            });
    below(values, RESOURCE_SERVERS, OF_SERVERS, errors)
        .forEach(
            (name, entries) -> {
              SettingValues own = SettingValues.of(entries);
              String id = own.get(SERVER_ID).orElse(name);
              if (!ids.add(id)) {
                errors.add(
                    "key '%s%s.id': expected each resource server once, found '%s' again"
                        .formatted(SERVERS, name, id));
                return;
              }
              servers.add(server(id, own, values.overlaid(entries), providers, errors));
            });
    return servers;
  }

  /**
   * @param own what is said of this one alone
   * @param all the same with what holds for all
   */
  private static ResourceServer server(
      String id,
      SettingValues own,
      SettingValues all,
      Map<String, TokenProvider> providers,
      ConfigErrors errors) {
    return new ResourceServer(
        id,
        own.get(SCOPE_PREFIX).or(() -> all.get(SCOPE_PREFIX)).orElse(id + "."),
        all.get(SERVER_TYPE),
        all.get(VERIFY_AUD),
        all.get(REQUIRE_EXP),
        all.get(SCOPE_CLAIMS).map(OAuthSettings::words).orElse(List.of()).stream()
            .map(path -> List.of(path.split("\\.")))
            .toList(),
        aliases(all, errors),
        all.inOrder(USERNAME_CLAIMS),
        provider(id, all.get(DEFAULT_PROVIDER), providers, errors));
  }

  private static List<String> words(String text) {
    return Stream.of(text.strip().split("\\s+")).filter(word -> !word.isEmpty()).toList();
  }

  /** Aliases of both forms: by the key, and by a number with the alias as a value. */
  private static Map<String, List<String>> aliases(SettingValues values, ConfigErrors errors) {
    Map<String, List<String>> aliases = new TreeMap<>();
    Map<String, String> names = new TreeMap<>();
    Map<String, String> scopes = new TreeMap<>();
    values
        .members(ALIASES)
        .forEach(
            (name, value) -> {
              if (name.endsWith(".alias")) {
                names.put(name.substring(0, name.length() - ".alias".length()), value);
              } else if (name.endsWith(".scope")) {
                scopes.put(name.substring(0, name.length() - ".scope".length()), value);
              } else {
                aliases.put(name, words(value));
              }
            });
    names.forEach(
        (number, name) -> {
          if (!scopes.containsKey(number)) {
            errors.add(
                "key '%s%s.scope' is not set: %s%s.alias needs it"
                    .formatted(ALIASES.prefix(), number, ALIASES.prefix(), number));
          } else {
            aliases.put(name, words(scopes.get(number)));
          }
        });
    scopes.forEach(
        (number, scope) -> {
          if (!names.containsKey(number)) {
            errors.add(
                "key '%s%s.alias' is not set: %s%s.scope needs it"
                    .formatted(ALIASES.prefix(), number, ALIASES.prefix(), number));
          }
        });
    return aliases;
  }

  private static String provider(
      String server,
      Optional<String> asked,
      Map<String, TokenProvider> providers,
      ConfigErrors errors) {
    if (asked.isPresent() && !providers.containsKey(asked.get())) {
      errors.add(
          "the resource server '%s' has the provider '%s': expected one of auth_oauth2.oauth_providers, %s"
              .formatted(server, asked.get(), providers.keySet()));
    }
    return asked.orElseGet(
        () ->
            providers.containsKey(ROOT) || providers.size() != 1
                ? ROOT
                : providers.keySet().iterator().next());
  }

  // Providers

  private static Map<String, TokenProvider> providers(SettingValues values, ConfigErrors errors) {
    Map<String, TokenProvider> providers = new TreeMap<>();
    TokenProvider root = provider(PREFIX, values, errors);
    if (root.issuer().isPresent() || root.keySet().isPresent() || !root.signingKeys().isEmpty()) {
      providers.put(ROOT, root);
    }
    below(values, OAUTH_PROVIDERS, OF_PROVIDERS, errors)
        .forEach(
            (name, entries) ->
                providers.put(
                    name, provider(PROVIDERS + name + ".", SettingValues.of(entries), errors)));
    return providers;
  }

  /**
   * @param prefix what its keys begin with, for errors
   */
  private static TokenProvider provider(String prefix, SettingValues values, ConfigErrors errors) {
    for (Setting<Optional<URI>> key :
        List.of(ISSUER, KEY_SET, OLD_KEY_SET, TOKEN_ENDPOINT, AUTHORIZATION_ENDPOINT)) {
      values.get(key).ifPresent(url -> requireHttps(prefix, key, url, errors));
    }
    Optional<URI> issuer = values.get(ISSUER);
    ClientTlsSettings tls = TLS.read(values).called(prefix + "https");
    TLS.check(tls, errors);
    Map<String, Path> keys = values.members(SIGNING_KEYS);
    Optional<String> defaultKey = values.get(DEFAULT_KEY);
    return new TokenProvider(
        issuer,
        issuer.map(url -> discovery(url, values)),
        values.get(KEY_SET).or(() -> values.get(OLD_KEY_SET)),
        values.get(TOKEN_ENDPOINT),
        values.get(AUTHORIZATION_ENDPOINT),
        Map.copyOf(keys),
        defaultKey,
        Set.copyOf(values.members(ALGORITHM_NAMES).values()),
        values.get(PEER_VERIFICATION).orElse("verify_peer").equals("verify_none")
            ? tls.unverified()
            : tls);
  }

  private static URI discovery(URI issuer, SettingValues values) {
    String base = issuer.toString();
    String query =
        values.members(DISCOVERY_PARAMS).entrySet().stream()
            .map(
                parameter ->
                    URLEncoder.encode(parameter.getKey(), StandardCharsets.UTF_8)
                        + "="
                        + URLEncoder.encode(parameter.getValue(), StandardCharsets.UTF_8))
            .collect(Collectors.joining("&"));
    return URI.create(
        base
            + (base.endsWith("/") ? "" : "/")
            + values.get(DISCOVERY_PATH).replaceFirst("^/+", "")
            + (query.isEmpty() ? "" : "?" + query));
  }

  /** As RabbitMQ: keys that come in clear could be those of anyone. */
  private static void requireHttps(String prefix, Setting<?> key, URI url, ConfigErrors errors) {
    if (!"https".equals(url.getScheme())) {
      errors.add(
          "key '%s%s': expected a URL of https, found '%s'"
              .formatted(prefix, key.name().substring(PREFIX.length()), url));
    }
  }

  private static void require(
      List<ResourceServer> servers, Map<String, TokenProvider> providers, ConfigErrors errors) {
    if (servers.isEmpty()) {
      errors.add(
          "key '%s' is not set: the backend oauth2 of auth_backends needs it, expected the id that tokens have in their claim aud, such as rabbitmq"
              .formatted(SERVER_ID.name()));
    }
    if (providers.isEmpty()) {
      errors.add(
          "key '%s' is not set: the backend oauth2 of auth_backends needs it, expected a URL such as https://login.example.com (or %s, or %s)"
              .formatted(ISSUER.name(), KEY_SET.name(), SIGNING_KEYS.name()));
      return;
    }
    for (ResourceServer server : servers) {
      if (!providers.containsKey(server.provider())) {
        errors.add(
            "key '%s' is not set: expected the provider of the resource server '%s', one of %s"
                .formatted(DEFAULT_PROVIDER.name(), server.id(), providers.keySet()));
      }
      if (!server.verifiesAudience() && servers.size() > 1) {
        errors.add(
            "the resource server '%s' has verify_aud = false: expected only one resource server then, found %d"
                .formatted(server.id(), servers.size()));
      }
    }
    providers.forEach(
        (name, provider) -> {
          String prefix = name.equals(ROOT) ? PREFIX : PROVIDERS + name + ".";
          if (provider.discovery().isEmpty()
              && provider.keySet().isEmpty()
              && provider.signingKeys().isEmpty()) {
            errors.add(
                "key '%sissuer' is not set: expected a URL such as https://login.example.com (or %sjwks_uri, or %ssigning_keys.$kid)"
                    .formatted(prefix, prefix, prefix));
          }
          provider
              .defaultKey()
              .filter(
                  id ->
                      provider.discovery().isEmpty()
                          && provider.keySet().isEmpty()
                          && !provider.signingKeys().containsKey(id))
              .ifPresent(
                  id ->
                      errors.add(
                          "key '%sdefault_key': expected one of the signing keys %s, found '%s'"
                              .formatted(prefix, provider.signingKeys().keySet(), id)));
        });
  }
}
