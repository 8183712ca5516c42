const CHANGES = ["create", "change", "remove"] as const;

/** The verbs of every noun of the audit trail. */
const VERBS = {
  agents: CHANGES,
  "file-sources": [...CHANGES, "scan", "webhook-secret"],
  "file-sources.exclusions": ["put"],
  "file-sources.files": ["put", "refused", "change", "move", "remove"],
  inferences: CHANGES,
  keys: ["create", "remove"],
  "model-servers": ["test"],
  models: ["put"],
  panel: ["refused"],
  "provider-keys": ["put", "remove"],
  "question-sets": [...CHANGES, "import"],
  "question-sets.questions": CHANGES,
  "question-sets.runs": ["create", "remove"],
  rags: [...CHANGES, "reindex", "retry", "return", "read"],
  "rags.scopes": ["create", "remove"],
  session: ["sign-in", "sign-out", "code", "openid", "admin-link", "recheck"],
  "session.password": ["change"],
  "session.totp": ["enrol", "confirm", "remove"],
  sessions: ["remove"],
  "sign-in": ["change", "test"],
  tokens: ["create", "remove", "connect", "disconnect"],
  users: CHANGES,
  "users.totp": ["remove"],
  webhooks: ["push"],
} as const;

type Verbs = typeof VERBS;

/** What an entry of the audit trail says was done: a noun and its verb. */
export type AuditAction = {
  [Noun in keyof Verbs]: `${Noun}.${Verbs[Noun][number]}`;
}[keyof Verbs];

export const AUDIT_ACTIONS = Object.entries(VERBS).flatMap(([noun, verbs]) =>
  verbs.map((verb) => `${noun}.${verb}`),
);
