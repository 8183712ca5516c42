/** A provider's subscription that notifies the service of changes. */
export type Watch = {
  /** The provider's id of the subscription, which every notification names. */
  id: string;
  /** The watched resource, as notifications name it; null where they do not, or it is unknown. */
  resourceId: string | null;
  /** When the provider stops notifying, ms. */
  expiresAt: number;
};

export type WatchNotification = {
  watchId: string;
  /** The secret that was given with the watch. */
  token: string;
  /** The watched resource, as the provider names it; null where the notification does not say. */
  resourceId: string | null;
  /** `opened`: nothing changed. `expiring`: renew now. `ended`: the provider removed it. */
  event: "opened" | "changed" | "expiring" | "ended";
};

export type WatchRequest = {
  /** A random UUID. A provider that chooses ids itself ignores it and returns its own. */
  id: string;
  /** A random secret that the provider repeats in every notification. At most 64 characters. */
  token: string;
  /** The service's public address without a path; the watcher appends that of its webhook. */
  baseUrl: string;
};

/** Calls may be repeated: the service keeps the state. @throws SourceFailure, without secrets */
export interface SourceWatcher {
  /** Targets to watch so that no change is missed: one watch is kept for each name. */
  targets(signal: AbortSignal): Promise<string[]>;
  start(target: string, request: WatchRequest, signal: AbortSignal): Promise<Watch>;
  /** Moves the expiry; null for an unknown watch. Without it, a new watch replaces the old one. */
  extend?(watch: Watch, signal: AbortSignal): Promise<Watch | null>;
  /** Succeeds for a watch that the provider no longer knows. */
  stop(watch: Watch, signal: AbortSignal): Promise<void>;
}
