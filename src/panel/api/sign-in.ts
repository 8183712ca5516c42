import {
  providerInput,
  providerSettings,
  saveProvider,
  storedProvider,
} from "../../access/openid/provider-settings.ts";
import { forbidden, orNotFound } from "../../core/errors.ts";
import type { Services } from "../../services.ts";
import { Endpoints } from "./request/endpoint.ts";
import { sessionHashOf } from "./request/guards.ts";

const shown = providerSettings.openapi("OpenIdProvider");

const settingsOf = async (services: Services) =>
  orNotFound(await storedProvider(services)).settings;

/** The provider that people sign in with. */
export const signInRoutes = () =>
  new Endpoints("users")
    .json(
      "get /sign-in",
      "The OpenID Connect provider. For administrators; without the client secret.",
      { answer: shown, errors: [404] },
      async ({ services, caller }) => {
        if (caller.role !== "admin") throw forbidden();
        return await settingsOf(services);
      },
    )
    .json(
      "put /sign-in",
      "Set the OpenID Connect provider. Without `clientSecret`, the stored one stays, unless the issuer or the client ID changes.",
      { body: providerInput, answer: shown },
      async ({ services, context, body }) => {
        context.set("auditAction", "sign-in.change");
        await saveProvider(services, body, await sessionHashOf(context));
        return await settingsOf(services);
      },
    ).app;
