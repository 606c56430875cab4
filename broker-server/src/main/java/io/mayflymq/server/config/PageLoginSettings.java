package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.bool;
import static io.mayflymq.server.config.ValueTypes.orWord;
import static io.mayflymq.server.config.ValueTypes.secretText;
import static io.mayflymq.server.config.ValueTypes.text;

import java.util.Map;
import java.util.Optional;

/**
 * How users of the management page log in by a provider of tokens.
 *
 * @param enabled whether they can
 * @param clientId what the provider knows the broker as; empty only if not enabled
 * @param clientSecret its password there; empty for a public client
 * @param scopes that are asked for, separated by blanks
 * @param refusesPasswords whether the API takes no names and passwords
 * @param authorizationParameters more for the page of the provider
 * @param tokenParameters more for its token endpoint
 */
public record PageLoginSettings(
    boolean enabled,
    Optional<String> clientId,
    Optional<String> clientSecret,
    String scopes,
    boolean refusesPasswords,
    Map<String, String> authorizationParameters,
    Map<String, String> tokenParameters) {
  static final Section SECTION = new Section("Logging in to the management page by a provider");

  private static final Setting<Boolean> ENABLED =
      SECTION.add(
          Setting.of(
              "management.oauth_enabled",
              bool(),
              "false",
              "Whether users of the management page [log in by the"
                  + " provider](auth-oauth2.md#the-management-page) of `auth_oauth2.*`."));
  private static final Setting<Boolean> DISABLE_BASIC_AUTH =
      SECTION.add(
          Setting.of(
              "management.oauth_disable_basic_auth",
              bool(),
              "true",
              "Whether the API and the page then take no names and passwords. `mayflyctl` needs"
                  + " none."));
  private static final Setting<Optional<String>> CLIENT_ID =
      SECTION.add(
          Setting.of(
              "management.oauth_client_id",
              orWord("none", text()),
              "none",
              "What the provider knows the broker as."));
  private static final Setting<Optional<String>> CLIENT_SECRET =
      SECTION.add(
          Setting.of(
              "management.oauth_client_secret",
              orWord("none", secretText()),
              "none",
              "Its secret there; `none` for a public client."));
  private static final Setting<String> SCOPES =
      SECTION.add(
          Setting.of(
              "management.oauth_scopes",
              text(),
              "openid profile",
              "The scopes that are asked for, separated by blanks."));
  private static final KeyFamily<String> AUTHORIZATION_PARAMETERS =
      SECTION.add(
          new KeyFamily<>(
              "management.oauth_authorization_endpoint_params.",
              "$name",
              text(),
              Map.of(),
              "A further parameter for the provider's page, such as `resource` or `audience`."));
  private static final KeyFamily<String> TOKEN_PARAMETERS =
      SECTION.add(
          new KeyFamily<>(
              "management.oauth_token_endpoint_params.",
              "$name",
              text(),
              Map.of(),
              "A further parameter for its token endpoint."));

  /**
   * Reads the keys.
   *
   * @throws ConfigException if one is missing
   */
  static PageLoginSettings of(SettingValues values) throws ConfigException {
    PageLoginSettings settings =
        new PageLoginSettings(
            values.get(ENABLED),
            values.get(CLIENT_ID),
            values.get(CLIENT_SECRET),
            values.get(SCOPES),
            values.get(ENABLED) && values.get(DISABLE_BASIC_AUTH),
            Map.copyOf(values.members(AUTHORIZATION_PARAMETERS)),
            Map.copyOf(values.members(TOKEN_PARAMETERS)));
    if (settings.enabled && settings.clientId.isEmpty()) {
      throw new ConfigException(
          "key '%s' is not set: %s = true needs it, expected what the provider knows the broker as"
              .formatted(CLIENT_ID.name(), ENABLED.name()));
    }
    return settings;
  }

  /**
   * Checks that there is a provider at which users can log in.
   *
   * @throws ConfigException if not
   */
  void require(AuthSettings auth) throws ConfigException {
    if (enabled && !auth.usesInApi(AuthBackendKeys.OAUTH2)) {
      throw new ConfigException(
          "key '%s' is true: expected oauth2 as one of auth_backends, or of http_dispatch.auth_backends, found %s"
              .formatted(ENABLED.name(), auth.apiBackends()));
    }
    if (enabled && !auth.oauth().first().canLogUsersIn()) {
      throw new ConfigException(
          "key 'auth_oauth2.issuer' is not set: %s = true needs it, or auth_oauth2.authorization_endpoint and auth_oauth2.token_endpoint"
              .formatted(ENABLED.name()));
    }
  }

  /** Without the secret. */
  @Override
  public String toString() {
    return "PageLoginSettings[enabled=%s, clientId=%s, scopes=%s]"
        .formatted(enabled, clientId, scopes);
  }
}
