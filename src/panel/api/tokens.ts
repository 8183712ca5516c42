import { z } from "@hono/zod-openapi";

import { createToken } from "../../access/tokens/create-token.ts";
import { newToken } from "../../access/tokens/token-settings.ts";
import { asId } from "../../core/ids.ts";
import { listTokens, removeToken, TOKEN_KINDS } from "../../db/access/token-store.ts";
import { all, Endpoints, time, timeOrNull } from "./request/endpoint.ts";

const shown = {
  id: z.string(),
  kind: z.enum(TOKEN_KINDS),
  name: z.string(),
  ...all(z.array(z.string()), "agents", "inferences", "rags"),
  manageScopes: z.boolean(),
  reader: z
    .string()
    .nullable()
    .describe("`named`, the address of the only person that it reads as, or null."),
  createdAt: time,
  expiresAt: timeOrNull,
  lastUsedAt: timeOrNull,
};

export const tokenRoutes = new Endpoints("tokens")
  .list(
    "get /tokens",
    "Access tokens and connected programs. What each covers and when it was last used; never the token itself.",
    { item: z.object(shown).openapi("Token") },
    ({ services, paging }) => listTokens(services.db, paging),
  )
  .json(
    "post /tokens",
    "Create a token. It is shown only once. `*` covers all resources, future ones included.",
    {
      body: newToken,
      answer: z.object({ ...shown, token: z.string() }).openapi("CreatedToken"),
      status: 201,
      errors: [404],
    },
    async ({ services, body }) => {
      const { token, secret } = await createToken(services, body);
      return { ...token, token: secret };
    },
  )
  .empty(
    "delete /tokens/{id}",
    "Remove a token. It stops working everywhere within five seconds.",
    {},
    ({ services, key }) => removeToken(services.db, asId(key)),
  ).app;
