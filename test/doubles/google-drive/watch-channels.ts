import type { PushNetwork } from "../push-network.ts";
import { errorAnswer, json } from "./answers.ts";
import type { LogOwner } from "./change-logs.ts";

/*
 * Channels of `changes.watch`:
 * https://developers.google.com/workspace/drive/api/guides/push
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/changes/watch
 */
const HOUR_MS = 3_600_000;
const MAX_MS = 7 * 24 * HOUR_MS;
const MAX_ID_LENGTH = 64;
const MAX_TOKEN_LENGTH = 256;
const RESOURCE_URI = "https://www.googleapis.com/drive/v3/changes?alt=json";

export type Channel = {
  id: string;
  resourceId: string;
  token: string | undefined;
  address: string;
  expiration: number;
  messages: number;
  /** Whose changes are told: those of a shared drive, or the account's own. */
  owner: LogOwner;
};

type WatchRequest = {
  id?: string;
  type?: string;
  address?: string;
  token?: string;
  expiration?: string | number;
};

/** The channels of one account, which call back until they expire or are stopped. */
export class WatchChannels {
  readonly open = new Map<string, Channel>();
  /** Hosts that Google does not call. */
  readonly unauthorized = new Set<string>();
  readonly #network: PushNetwork;
  readonly #now: () => number;
  #next = 0;

  constructor(network: PushNetwork, now: () => number) {
    this.#network = network;
    this.#now = now;
  }

  watch(text: string, owner: LogOwner): Response {
    const request = JSON.parse(text) as WatchRequest;
    const { id = "", type, address = "", token = "" } = request;
    if (type !== "web_hook" || id === "" || id.length > MAX_ID_LENGTH) {
      return errorAnswer(400, "invalid");
    }
    if (token.length > MAX_TOKEN_LENGTH) return errorAnswer(400, "invalid");
    if (this.open.has(id)) return errorAnswer(400, "channelIdNotUnique");
    if (!address.startsWith("https://")) return errorAnswer(400, "push.webhookUrlNotHttps");
    if (this.unauthorized.has(new URL(address).hostname)) {
      return errorAnswer(401, "push.webhookUrlUnauthorized");
    }
    const now = this.#now();
    const requestedEnd = Number(request.expiration ?? now + HOUR_MS);
    const channel: Channel = {
      id,
      resourceId: `res-${this.#next++}`,
      token: request.token,
      address,
      expiration: Math.min(requestedEnd, now + MAX_MS),
      messages: 0,
      owner,
    };
    this.open.set(id, channel);
    this.#notify(channel, "sync");
    const { resourceId, expiration } = channel;
    return json({
      kind: "api#channel",
      id,
      resourceId,
      resourceUri: RESOURCE_URI,
      token: request.token,
      expiration: String(expiration),
    });
  }

  stop(text: string): Response {
    const { id = "", resourceId } = JSON.parse(text) as { id?: string; resourceId?: string };
    const channel = this.open.get(id);
    if (channel === undefined || channel.resourceId !== resourceId) {
      return errorAnswer(404, "notFound");
    }
    this.open.delete(id);
    return new Response(null, { status: 204 });
  }

  /** Something changed: every channel that is still alive says so. */
  changed(owner: LogOwner): void {
    for (const channel of this.live()) {
      if (channel.owner === owner) this.#notify(channel, "change");
    }
  }

  live(): Channel[] {
    const now = this.#now();
    for (const [id, { expiration }] of this.open) if (expiration <= now) this.open.delete(id);
    return [...this.open.values()];
  }

  #notify(channel: Channel, state: "sync" | "change"): void {
    const { id, resourceId, token, address, expiration } = channel;
    channel.messages++;
    this.#network.send({
      address,
      body: "",
      headers: {
        "X-Goog-Channel-ID": id,
        "X-Goog-Message-Number": String(channel.messages),
        "X-Goog-Resource-ID": resourceId,
        "X-Goog-Resource-State": state,
        "X-Goog-Resource-URI": RESOURCE_URI,
        "X-Goog-Channel-Expiration": new Date(expiration).toUTCString(),
        ...(token === undefined ? {} : { "X-Goog-Channel-Token": token }),
      },
    });
  }
}
