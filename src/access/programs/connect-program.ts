import type { AuthRequest } from "@cloudflare/workers-oauth-provider";

import { conflict, invalid, invalidField } from "../../core/errors.ts";
import type { TokenId } from "../../core/ids.ts";
import { CODE_MS, endEarlierGrants, endGrant } from "../../db/access/grant-store.ts";
import { groupsOfUser } from "../../db/access/openid-store.ts";
import { closeToMembers } from "../../db/catalog/open-to-members.ts";
import { runBatch } from "../../db/sql.ts";
import type { Services } from "../../services.ts";
import type { Session } from "../sessions/find-session.ts";
import { storeToken } from "../tokens/create-token.ts";
import type { AuthorizationServer } from "./authorization-server.ts";
import { grantHash } from "./find-grant.ts";

type Choice = { rags: string[]; inferences: string[]; agents: string[] };

type Connection = {
  /** Chosen when the page was shown, so that a page is answered once. */
  id: TokenId;
  person: Session;
  program: Program;
  choice: Choice;
};

export type Program = {
  request: AuthRequest;
  name: string;
  /** Where its codes are sent. */
  host: string;
  /** Several of its installations look the same: none takes the place of another. */
  isShared: boolean;
};

/**
 * Connects a program for a person, to what was chosen. Returns the address that takes the code to
 * the program.
 * @throws QuarryError `invalid` (nothing chosen, or what the person may not connect); `conflict`
 * when the page was answered before.
 */
export async function connectProgram(
  services: Services,
  { helpers }: Pick<AuthorizationServer, "helpers">,
  { id, person, program, choice }: Connection,
): Promise<string> {
  if (Object.values(choice).every((group) => group.length === 0)) {
    throw invalid("choose at least one RAG, inference or agent");
  }
  // Everything includes what only administrators will open later.
  for (const [group, names] of Object.entries(choice)) {
    if (names.includes("*")) throw invalidField(group, ": there is no *");
  }
  const { request, name, host, isShared } = program;
  const grant = { id, grantedBy: person.userId, clientId: request.clientId, clientHost: host };
  const readerGroups = await groupsOfUser(services.db, person.userId);
  const reads = { manageScopes: false, reader: person.email, readerGroups };
  const input = { ...choice, ...reads, name, expiresAt: services.now() + CODE_MS };
  const row = { ...grant, hash: await grantHash(id), onlyOpen: person.role !== "admin" };
  if ((await storeToken(services, input, row)) === null) throw duplicateAnswer();
  // Something may have been closed meanwhile.
  await runBatch(services.db, closeToMembers());
  try {
    const { redirectTo } = await helpers.completeAuthorization({
      request,
      userId: id,
      metadata: {},
      scope: request.scope,
      props: {},
      revokeExistingGrants: false,
    });
    if (!isShared) await endEarlierGrants(services.db, grant);
    return redirectTo;
  } catch (thrown) {
    await endGrant(services.db, id);
    throw thrown;
  }
}

const duplicateAnswer = () =>
  conflict("This page was answered already. Begin again in the program to connect it.");
