type ChangeVerb = "create" | "change" | "remove";

/** The verbs of every noun of the audit trail. */
type Verbs = {
  agents: ChangeVerb;
  archive: "export" | "import" | "remove";
  config: "apply";
  "event-endpoints": ChangeVerb | "secret" | "test" | "resend";
  "file-sources": ChangeVerb | "scan" | "webhook-secret" | "copy";
  "file-sources.exclusions": "put";
  "file-sources.files": "put" | "refused" | "change" | "move" | "remove";
  inferences: ChangeVerb;
  invitations: "create" | "remove" | "accept";
  keys: "create" | "remove";
  limits: ChangeVerb;
  "model-servers": "test";
  models: "put";
  panel: "refused";
  "provider-keys": "put" | "remove";
  "question-sets": ChangeVerb | "import";
  "question-sets.questions": ChangeVerb;
  "question-sets.runs": "create" | "remove";
  rags: ChangeVerb | "reindex" | "retry" | "return" | "read" | "copy" | "take-over";
  "rags.scopes": "create" | "remove";
  session: "sign-in" | "sign-out" | "code" | "openid" | "admin-link" | "recheck";
  "session.password": "change";
  "session.totp": "enrol" | "confirm" | "remove";
  sessions: "remove";
  "sign-in": "change" | "test";
  tokens: "create" | "remove" | "connect" | "disconnect";
  users: ChangeVerb;
  "users.totp": "remove";
  webhooks: "push";
};

/** The action of an entry of the audit trail: a noun and its verb. */
export type AuditAction = { [Noun in keyof Verbs]: `${Noun}.${Verbs[Noun]}` }[keyof Verbs];
