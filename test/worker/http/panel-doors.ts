/**
 * Routes of the panel, its API and the consent page. Behind a method: who is told of files that a
 * member may not read, or nothing where nobody is. `files`: administrators and keys; `admins`:
 * administrators alone; `reads`: those and keys of members, while a member reads as itself; `self`:
 * the caller's own account.
 */
const TABLE = `
  /authorize GET POST:self
  /panel GET
  /panel/account GET
  /panel/account/password POST:self
  /panel/account/second-factor GET POST:self
  /panel/account/second-factor/confirm POST:self
  /panel/account/second-factor/remove POST:self
  /panel/account/sessions/:session/end POST:self
  /panel/agents GET
  /panel/agents/:id GET:files
  /panel/agents/:id/remove GET POST
  /panel/agents/:id/run POST:reads
  /panel/agents/:id/settings GET POST
  /panel/api/agents GET POST
  /panel/api/agents/:id DELETE GET PATCH
  /panel/api/archive GET POST
  /panel/api/archive/imports GET
  /panel/api/archive/imports/:id DELETE
  /panel/api/archive/uploads POST
  /panel/api/archive/uploads/:id/:part PUT
  /panel/api/archive/uploads/:id/complete POST
  /panel/api/audit GET:admins
  /panel/api/config GET:admins POST
  /panel/api/config.schema.json GET
  /panel/api/event-endpoints GET POST
  /panel/api/event-endpoints/:id DELETE PATCH
  /panel/api/event-endpoints/:id/deliveries GET
  /panel/api/event-endpoints/:id/deliveries/:delivery/resend POST
  /panel/api/event-endpoints/:id/secret POST
  /panel/api/event-endpoints/:id/test POST
  /panel/api/file-sources GET POST
  /panel/api/file-sources/:id DELETE GET PATCH
  /panel/api/file-sources/:id/check POST
  /panel/api/file-sources/:id/copy POST
  /panel/api/file-sources/:id/exclusions GET:files PUT
  /panel/api/file-sources/:id/files GET:files POST
  /panel/api/file-sources/:id/files/* DELETE GET:files PATCH PUT
  /panel/api/file-sources/:id/files/:path{.+}/readers GET:files PATCH
  /panel/api/file-sources/:id/files/:path{.+}/readers/check POST:files
  /panel/api/file-sources/:id/folders GET:files
  /panel/api/file-sources/:id/manifest GET:files
  /panel/api/file-sources/:id/moves POST
  /panel/api/file-sources/:id/permissions GET:files
  /panel/api/file-sources/:id/removals POST
  /panel/api/file-sources/:id/runs GET
  /panel/api/file-sources/:id/scan POST
  /panel/api/file-sources/:id/text/* GET:files
  /panel/api/file-sources/:id/webhook-secret POST
  /panel/api/inferences GET POST
  /panel/api/inferences/:id DELETE GET PATCH
  /panel/api/invitations GET POST
  /panel/api/invitations/:id DELETE
  /panel/api/keys GET POST
  /panel/api/keys/:id DELETE
  /panel/api/limits GET POST
  /panel/api/limits/:id PATCH DELETE
  /panel/api/model-servers GET
  /panel/api/models GET PUT
  /panel/api/overview GET
  /panel/api/provider-keys GET PUT
  /panel/api/provider-keys/:id DELETE
  /panel/api/question-sets GET POST
  /panel/api/question-sets/:id DELETE GET PATCH
  /panel/api/question-sets/:id/export GET:files
  /panel/api/question-sets/:id/import POST
  /panel/api/question-sets/:id/questions GET:files POST
  /panel/api/question-sets/:id/questions/:question DELETE PATCH
  /panel/api/question-sets/:id/runs GET POST
  /panel/api/question-sets/:id/runs/:run DELETE GET
  /panel/api/question-sets/:id/runs/:run/comparison GET
  /panel/api/question-sets/:id/runs/:run/results GET:files
  /panel/api/rags GET:files POST
  /panel/api/rags/:id DELETE GET:files PATCH
  /panel/api/rags/:id/copy POST
  /panel/api/rags/:id/estimate POST
  /panel/api/rags/:id/index GET
  /panel/api/rags/:id/passages GET:files
  /panel/api/rags/:id/preview POST:files
  /panel/api/rags/:id/reindex POST
  /panel/api/rags/:id/retry POST
  /panel/api/rags/:id/return POST
  /panel/api/rags/:id/search POST:reads
  /panel/api/rags/:id/take-over POST
  /panel/api/requests GET
  /panel/api/session DELETE:self GET POST:self
  /panel/api/session/password PATCH:self
  /panel/api/session/totp DELETE:self POST:self
  /panel/api/session/totp/confirm POST:self
  /panel/api/sessions GET
  /panel/api/sessions/:id DELETE:self
  /panel/api/sign-in GET PUT
  /panel/api/tokens GET POST
  /panel/api/tokens/:id DELETE
  /panel/api/usage GET
  /panel/api/users GET POST
  /panel/api/users/:id DELETE PATCH
  /panel/api/users/:id/totp DELETE
  /panel/asked GET
  /panel/evaluation GET
  /panel/evaluation/:set GET:files
  /panel/evaluation/:set/import POST
  /panel/evaluation/:set/questions POST
  /panel/evaluation/:set/questions/:question GET:files POST
  /panel/evaluation/:set/questions/:question/remove GET POST
  /panel/evaluation/:set/remove GET POST
  /panel/evaluation/:set/runs GET POST
  /panel/evaluation/:set/runs/:run GET:files
  /panel/evaluation/:set/runs/:run/remove GET POST
  /panel/evaluation/:set/runs/compare GET
  /panel/evaluation/:set/settings GET POST
  /panel/find GET
  /panel/first-steps GET
  /panel/first-steps/close POST:self
  /panel/first-steps/folder POST
  /panel/first-steps/rag POST
  /panel/inferences GET
  /panel/inferences/:id GET:files
  /panel/inferences/:id/remove GET POST
  /panel/inferences/:id/run POST:reads
  /panel/inferences/:id/settings GET POST
  /panel/invitation GET:self POST:self
  /panel/new/agent GET POST
  /panel/new/inference GET POST
  /panel/new/question GET
  /panel/new/question-set GET POST
  /panel/new/rag GET POST
  /panel/new/source GET POST
  /panel/rags GET
  /panel/rags/:id GET
  /panel/rags/:id/copy POST
  /panel/rags/:id/preview GET:files
  /panel/rags/:id/reindex GET POST
  /panel/rags/:id/remove GET POST
  /panel/rags/:id/retry POST
  /panel/rags/:id/return POST
  /panel/rags/:id/scope GET:files
  /panel/rags/:id/scope/add POST
  /panel/rags/:id/scope/everything GET POST
  /panel/rags/:id/scope/narrow GET:files POST
  /panel/rags/:id/scope/remove GET POST
  /panel/rags/:id/settings GET POST
  /panel/rags/:id/settings/cost GET
  /panel/rags/:id/status POST
  /panel/rags/:id/take-over POST
  /panel/reference GET
  /panel/search GET:files POST:reads
  /panel/settings GET POST
  /panel/settings/archive GET
  /panel/settings/archive/export POST
  /panel/settings/archive/import POST
  /panel/settings/archive/imports/:id POST
  /panel/settings/archive/imports/:id/give-up POST
  /panel/settings/events GET POST
  /panel/settings/events/:id GET POST
  /panel/settings/events/:id/:delivery/resend POST
  /panel/settings/events/:id/remove GET POST
  /panel/settings/events/:id/secret POST
  /panel/settings/events/:id/test POST
  /panel/settings/invitations GET POST
  /panel/settings/invitations/:id/withdraw POST
  /panel/settings/keys GET POST
  /panel/settings/keys/:id/remove GET POST
  /panel/settings/limits GET POST
  /panel/settings/limits/:id/remove GET POST
  /panel/settings/log GET:admins
  /panel/settings/models GET POST
  /panel/settings/models/keys POST
  /panel/settings/models/keys/remove POST
  /panel/settings/models/remove GET POST
  /panel/settings/models/test POST
  /panel/settings/requests GET
  /panel/settings/requests/:id GET
  /panel/settings/sign-in GET POST
  /panel/settings/sign-in/test POST
  /panel/settings/users/:id GET POST
  /panel/settings/users/:id/remove GET POST
  /panel/settings/users/:id/second-factor/remove POST
  /panel/settings/users/:id/sessions/:session/end POST
  /panel/sign-in GET:self POST:self
  /panel/sign-in/link GET:self POST:self
  /panel/sign-in/openid GET:self
  /panel/sign-in/openid/callback GET:self
  /panel/sign-in/openid/end GET:self
  /panel/sign-out POST:self
  /panel/sources GET
  /panel/sources/:id GET:files
  /panel/sources/:id/check POST
  /panel/sources/:id/file GET:files
  /panel/sources/:id/file/metadata POST
  /panel/sources/:id/file/original GET:files
  /panel/sources/:id/file/page GET
  /panel/sources/:id/file/remove GET:files POST
  /panel/sources/:id/file/search POST
  /panel/sources/:id/files.csv GET:files
  /panel/sources/:id/left-out GET:files
  /panel/sources/:id/permissions GET:files POST
  /panel/sources/:id/remove GET POST
  /panel/sources/:id/runs GET
  /panel/sources/:id/scan POST
  /panel/sources/:id/selected POST
  /panel/sources/:id/settings GET POST
  /panel/sources/:id/upload POST
  /panel/sources/:id/webhook-secret POST
  /panel/theme POST:self
  /panel/tokens GET
  /panel/tokens/:id GET
  /panel/tokens/:id/remove GET POST
  /panel/tokens/new GET POST
  /panel/tokens/programs GET
  /panel/tokens/programs/:id/remove GET POST:self
  /panel/tokens/programs/unused GET POST
`;

export type PanelDoor = { method: string; route: string; access: string };

export const PANEL_DOORS: PanelDoor[] = TABLE.trim()
  .split("\n")
  .flatMap((line) => {
    const [route = "", ...methods] = line.trim().split(" ");
    return methods.map((entry) => {
      const [method = "", access = ""] = entry.split(":");
      return { method, route, access };
    });
  });
