import { z } from "@hono/zod-openapi";

import { createToken } from "../../access/tokens/create-token.ts";
import { newToken } from "../../access/tokens/token-settings.ts";
import { requireFound } from "../../core/errors.ts";
import { asId } from "../../core/ids.ts";
import { findTokenLine, listTokens, removeToken } from "../../db/access/token-store.ts";
import { TOKEN_KINDS } from "../../db/access/token-store.ts";
import type { Services } from "../../services.ts";
import { action } from "../action.ts";
import { fieldsOfKind, Endpoints, time, timeOrNull, schema } from "./request/endpoint.ts";
import type { Address } from "./request/route.ts";

const fields = {
  id: z.string(),
  kind: z.enum(TOKEN_KINDS),
  name: z.string(),
  ...fieldsOfKind(z.array(z.string()), "agents", "inferences", "rags"),
  manageScopes: z.boolean(),
  reader: z
    .string()
    .nullable()
    .describe("`named`, the address of the only person that it reads as, or null."),
  createdAt: time,
  ...fieldsOfKind(timeOrNull, "expiresAt", "lastUsedAt"),
};

export const tokenCreation = action({
  name: "tokens.create",
  about: "Create a token. It is shown only once. `*` covers all resources, future ones included.",
  body: ({ now }) => newToken(now),
  errors: [404],
  work: ({ services, body, id }) => createToken(services, body, asId(id)),
  answer: schema("CreatedToken", { ...fields, token: z.string() }),
  answerOf: ({ token, secret }) => ({ ...token, token: secret }),
});

export const findToken = async ({ db }: Services, { key }: Address) =>
  requireFound(await findTokenLine(db, key));

export const tokenRemoval = action({
  name: "tokens.remove",
  about: "Remove a token. It stops working everywhere within five seconds.",
  find: findToken,
  work: ({ services, subject: { id } }) => removeToken(services.db, id),
  notice: (_none, { name, person }) =>
    person === null ? `${name} is removed and has stopped working.` : `${name} is disconnected.`,
});

export const tokenRoutes = new Endpoints("tokens")
  .list(
    "get /tokens",
    "Access tokens and connected programs. What each covers and when it was last used; never the token itself.",
    { item: schema("Token", fields) },
    ({ services, paging }) => listTokens(services.db, paging),
  )
  .action(tokenCreation)
  .action(tokenRemoval).app;
