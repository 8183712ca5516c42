import { generateKeyPairSync, randomUUID } from "node:crypto";
// A certified provider in strict settings; its people and keys are changed by POST /control.
import { createServer } from "node:http";
import { Provider } from "oidc-provider";

const { PORT, CLIENT_ID, CLIENT_SECRET, REDIRECT_URI } = process.env;
const issuer = `http://127.0.0.1:${PORT}`;
const people = {
  ann: { email: "ann@example.com", email_verified: true, groups: ["admins"] },
  mia: { email: "mia@example.com", email_verified: true, groups: [] },
  eve: { email: "eve@example.net", email_verified: true, groups: ["admins"] },
};

const newKey = () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { ...privateKey.export({ format: "jwk" }), use: "sig", alg: "ES256", kid: randomUUID() };
};

const newProvider = () => {
  const provider = new Provider(issuer, {
    jwks: { keys: [newKey()] },
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [REDIRECT_URI],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "client_secret_basic",
        id_token_signed_response_alg: "ES256",
        require_pushed_authorization_requests: true,
      },
    ],
    clientAuthMethods: ["client_secret_basic"],
    pkce: { required: () => true },
    rotateRefreshToken: () => true,
    responseTypes: ["code"],
    conformIdTokenClaims: true,
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["groups"] },
    findAccount: (_context, sub) =>
      people[sub] && { accountId: sub, claims: () => ({ sub, ...people[sub] }) },
    cookies: { keys: ["a key of the tests"] },
    features: {
      devInteractions: { enabled: true },
      pushedAuthorizationRequests: { enabled: true, requirePushedAuthorizationRequests: true },
    },
  });
  return provider.callback();
};

let answer = newProvider();

const control = {
  rotate: () => (answer = newProvider()),
  leave: ({ name }) => (people[name].groups = []),
  disable: ({ name }) => delete people[name],
};

createServer(async (request, response) => {
  if (request.url === "/control") {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
    control[body.change](body);
    response.end();
  } else await answer(request, response);
}).listen(Number(PORT), "127.0.0.1");
