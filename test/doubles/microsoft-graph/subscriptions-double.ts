import type { PushNetwork } from "../push-network.ts";
import { errorAnswer, json } from "./answers.ts";

/*
 * https://learn.microsoft.com/graph/api/subscription-post-subscriptions
 * https://learn.microsoft.com/graph/change-notifications-delivery-webhooks
 * https://learn.microsoft.com/graph/change-notifications-lifecycle-events
 */
const MAX_MS = 42_300 * 60_000;
const MAX_CLIENT_STATE_LENGTH = 128;

export type Subscription = {
  id: string;
  driveId: string;
  clientState: string;
  notificationUrl: string;
  lifecycleNotificationUrl: string | undefined;
  expiresAt: number;
};

type SubscriptionRequest = {
  changeType?: string;
  notificationUrl?: string;
  lifecycleNotificationUrl?: string;
  resource?: string;
  expirationDateTime?: string;
  clientState?: string;
};

/** The subscriptions of one app, which call back until they expire or are deleted. */
export class SubscriptionsDouble {
  readonly open = new Map<string, Subscription>();
  /** Calls an address that is to be validated. */
  reach: (address: string) => Promise<Response> = async (address) =>
    new Response(new URL(address).searchParams.get("validationToken"), {
      headers: { "content-type": "text/plain" },
    });
  readonly #network: PushNetwork;
  readonly #now: () => number;

  constructor(network: PushNetwork, now: () => number) {
    this.#network = network;
    this.#now = now;
  }

  async create(text: string, exists: (driveId: string) => boolean): Promise<Response> {
    const request = JSON.parse(text) as SubscriptionRequest;
    const [, driveId = ""] = /^\/?drives\/([^/]+)\/root$/.exec(request.resource ?? "") ?? [];
    if (!exists(driveId)) return errorAnswer(404, "ResourceNotFound");
    const { notificationUrl = "", lifecycleNotificationUrl, clientState = "" } = request;
    const expiresAt = Date.parse(request.expirationDateTime ?? "");
    const isShort = clientState.length <= MAX_CLIENT_STATE_LENGTH;
    if (request.changeType !== "updated" || !isShort || !this.#isAllowed(expiresAt)) {
      return errorAnswer(400, "InvalidRequest");
    }
    const answers = await Promise.all(
      [notificationUrl, lifecycleNotificationUrl].map(
        async (address) => address === undefined || (await this.#answers(address)),
      ),
    );
    if (answers.includes(false)) return errorAnswer(400, "ValidationError");
    const id = crypto.randomUUID();
    const subscription = {
      id,
      driveId,
      clientState,
      notificationUrl,
      lifecycleNotificationUrl,
      expiresAt,
    };
    this.open.set(id, subscription);
    return json(subscriptionAnswer(subscription), 201);
  }

  renew(id: string, text: string): Response {
    const subscription = this.#live(id);
    if (subscription === undefined) return errorAnswer(404, "ResourceNotFound");
    const expiresAt = Date.parse(
      (JSON.parse(text) as SubscriptionRequest).expirationDateTime ?? "",
    );
    if (!this.#isAllowed(expiresAt)) return errorAnswer(400, "InvalidRequest");
    subscription.expiresAt = expiresAt;
    return json(subscriptionAnswer(subscription));
  }

  delete(id: string): Response {
    if (this.#live(id) === undefined) return errorAnswer(404, "ResourceNotFound");
    this.open.delete(id);
    return new Response(null, { status: 204 });
  }

  list(): Response {
    return json({ value: this.live().map(subscriptionAnswer) });
  }

  live(): Subscription[] {
    for (const [id, { expiresAt }] of this.open) {
      if (expiresAt <= this.#now()) this.open.delete(id);
    }
    return [...this.open.values()];
  }

  /** Something changed in the drive; which item is not told. */
  changed(driveId: string): void {
    for (const each of this.live()) {
      if (each.driveId !== driveId) continue;
      const resource = `drives/${driveId}/root`;
      this.#send(each.notificationUrl, { ...common(each), changeType: "updated", resource });
    }
  }

  /** A subscription that is removed is gone before it is told. */
  tell(lifecycleEvent: "reauthorizationRequired" | "subscriptionRemoved" | "missed"): void {
    for (const each of this.live()) {
      if (lifecycleEvent === "subscriptionRemoved") this.open.delete(each.id);
      const address = each.lifecycleNotificationUrl;
      if (address !== undefined) this.#send(address, { ...common(each), lifecycleEvent });
    }
  }

  #live(id: string): Subscription | undefined {
    return this.live().find((each) => each.id === id);
  }

  #isAllowed(expiresAt: number): boolean {
    return expiresAt > this.#now() && expiresAt <= this.#now() + MAX_MS;
  }

  async #answers(address: string): Promise<boolean> {
    if (!address.startsWith("https://")) return false;
    const token = `Validation: Testing client application reachability ${crypto.randomUUID()}`;
    const url = new URL(address);
    url.searchParams.set("validationToken", token);
    const answer = await this.reach(url.href);
    const isPlain = answer.headers.get("content-type")?.startsWith("text/plain") === true;
    return answer.status === 200 && isPlain && (await answer.text()) === token;
  }

  #send(address: string, notification: Record<string, unknown>): void {
    const headers = { "content-type": "application/json" };
    this.#network.send({ address, headers, body: JSON.stringify({ value: [notification] }) });
  }
}

const common = ({ id, clientState, expiresAt }: Subscription) => ({
  subscriptionId: id,
  clientState,
  subscriptionExpirationDateTime: new Date(expiresAt).toISOString(),
  tenantId: "11111111-2222-3333-4444-555555555555",
});

const subscriptionAnswer = ({ id, driveId, notificationUrl, expiresAt }: Subscription) => ({
  id,
  resource: `/drives/${driveId}/root`,
  changeType: "updated",
  notificationUrl,
  expirationDateTime: new Date(expiresAt).toISOString(),
});
