// A real OpenID provider (oidc-provider, certified by the OpenID Foundation), in memory, on the loopback interface, for tests and for
// trying out docs/auth-oauth2.md. Any name and password log in; the name is that of the user.
//
//   node provider.js PORT CERTIFICATE KEY SCOPES SECONDS REDIRECT_URI...
//
// PORT 0 lets the system choose; the line "listening on URL" tells. SCOPES are what a user of the page gets, separated by blanks; tokens last SECONDS. It has two
// clients: "mayfly-page", which is public and logs users in by a code, and "application" (secret "app-secret"), which gets tokens for itself.
import { readFileSync } from 'node:fs';
import https from 'node:https';
import Provider from 'oidc-provider';

const [port, certificate, key, scopes, seconds, ...redirects] = process.argv.slice(2);
const API = 'urn:broker'; // the API that access tokens are for; its audience is what the broker calls itself

function configuration() {
  return {
    clients: [
      {
        client_id: 'mayfly-page',
        token_endpoint_auth_method: 'none',
        application_type: 'native',
        redirect_uris: redirects,
        response_types: ['code'],
        grant_types: ['authorization_code'],
      },
      {
        client_id: 'application',
        client_secret: 'app-secret',
        redirect_uris: [],
        response_types: [],
        grant_types: ['client_credentials'],
      },
    ],
    pkce: { required: () => true },
    scopes: ['openid', 'profile'],
    cookies: { keys: ['only for tests'] },
    features: {
      devInteractions: { enabled: true },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => API,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: scopes,
          audience: 'broker',
          accessTokenFormat: 'jwt',
          accessTokenTTL: Number(seconds),
        }),
      },
    },
    findAccount: (context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  };
}

// Its URL is known when it listens, and it has to know its URL.
let answer;
const server = https.createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, (request, response) => answer(request, response));
server.listen(Number(port), '127.0.0.1', () => {
  const url = `https://127.0.0.1:${server.address().port}`;
  answer = new Provider(url, configuration()).callback();
  console.log(`listening on ${url}`);
});
