import type { FileSourceId } from "../../core/ids.ts";

/** Clients of our Durable Objects; the classes are in durable-objects/. */
type ClockStub = { wake(): Promise<void> };
type DriveStub = { open(fileSourceId: FileSourceId): Promise<void> };

const CLOCK_NAME = "clock";

/** The one clock of a deployment. */
export function clockClient(namespace: DurableObjectNamespace) {
  return async () => {
    const stub = namespace.get(namespace.idFromName(CLOCK_NAME)) as unknown as ClockStub;
    await stub.wake();
  };
}

/** One window a drive. */
export function driveWindowClient(namespace: DurableObjectNamespace) {
  return async (fileSourceId: FileSourceId) => {
    const stub = namespace.get(namespace.idFromName(fileSourceId)) as unknown as DriveStub;
    await stub.open(fileSourceId);
  };
}
