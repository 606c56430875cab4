package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.bool;
import static io.mayflymq.server.config.ValueTypes.orWord;
import static io.mayflymq.server.config.ValueTypes.wholeNumber;

import java.util.Optional;

/**
 * The cache of what a service has answered about logins and rights.
 *
 * @param authn the backend behind it that checks passwords
 * @param authz the backend behind it that decides what users may do
 * @param ttlMillis how long an answer is kept
 * @param keepsRefusals whether refusals are kept too
 */
public record AuthCacheSettings(String authn, String authz, int ttlMillis, boolean keepsRefusals) {
  static final Section SECTION = new Section("Logging in with a cache");

  private static final int DAY_MILLIS = 86_400_000;

  private static final Setting<String> BOTH =
      SECTION.add(
          Setting.of(
              "auth_cache.cached_backend",
              AuthBackendKeys.cachedBackend(),
              AuthBackendKeys.INTERNAL,
              "The backend whose answers the backend `cache`"
                  + " [keeps](auth-http.md#the-cache). Those of `internal` need no cache and are"
                  + " not kept."));
  private static final Setting<Optional<String>> AUTHN =
      SECTION.add(
          Setting.of(
              "auth_cache.cached_backend.authn",
              orWord("none", AuthBackendKeys.cachedBackend()),
              "none",
              "The same for passwords only; `none`: as `auth_cache.cached_backend`."));
  private static final Setting<Optional<String>> AUTHZ =
      SECTION.add(
          Setting.of(
              "auth_cache.cached_backend.authz",
              orWord("none", AuthBackendKeys.cachedBackend()),
              "none",
              "The same for rights only; `none`: as `auth_cache.cached_backend`."));
  private static final Setting<Integer> TTL =
      SECTION.add(
          Setting.of(
              "auth_cache.cache_ttl",
              wholeNumber("milliseconds", 1, DAY_MILLIS),
              "15000",
              "How long an answer is kept, from when it came."));
  private static final Setting<Boolean> REFUSALS =
      SECTION.add(
          Setting.of(
              "auth_cache.cache_refusals", bool(), "false", "Whether refusals are kept too."));

  static AuthCacheSettings of(SettingValues values) {
    return new AuthCacheSettings(
        values.get(AUTHN).orElse(values.get(BOTH)),
        values.get(AUTHZ).orElse(values.get(BOTH)),
        values.get(TTL),
        values.get(REFUSALS));
  }
}
