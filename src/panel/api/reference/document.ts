import { OpenAPIHono } from "@hono/zod-openapi";

import { aboutService } from "../../../http/open-api-document.ts";
import { accessReference } from "./access-routes.ts";
import { answerReference } from "./answer-routes.ts";
import { TAGS } from "./described.ts";
import { evaluationReference } from "./evaluation-routes.ts";
import { ragReference } from "./rag-routes.ts";
import { serviceReference } from "./service-routes.ts";
import { sourceReference } from "./source-routes.ts";

const DESCRIPTION = `What sets Quarry up: users, keys, file sources, RAGs, inferences, agents and tokens. The pages under /panel do the same.

Send an automation key (\`qrya_…\`), or the cookie of a session; a change with the cookie must come from a page of the service itself. Members may read everything, administrators change everything. A field that is not known is refused with the name of the field that was probably meant.`;

/** The panel API's specification, from the schemas that its routes check bodies and queries with. */
export function panelDocument(baseUrl: string) {
  const app = new OpenAPIHono();
  for (const route of [
    ...accessReference,
    ...sourceReference,
    ...ragReference,
    ...answerReference,
    ...evaluationReference,
    ...serviceReference,
  ]) {
    app.openAPIRegistry.registerPath(route);
  }
  app.openAPIRegistry.registerComponent("securitySchemes", "key", {
    type: "http",
    scheme: "bearer",
    description: "An automation key.",
  });
  app.openAPIRegistry.registerComponent("securitySchemes", "session", {
    type: "apiKey",
    in: "cookie",
    name: "quarry_session",
    description: "The session of somebody who is signed in.",
  });
  return app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      ...aboutService(baseUrl),
      title: "Quarry panel API",
      description: DESCRIPTION,
    },
    servers: [{ url: `${baseUrl}/panel/api`, description: "This service." }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    security: [{ key: [] }, { session: [] }],
  });
}
