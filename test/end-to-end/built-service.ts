import { buildDatabase, buildService } from "../../src/cli/build/build-service.ts";

/** Bundles the Worker once, before servers of many tests would do it at the same time. */
export default async function buildOnce(): Promise<void> {
  await buildDatabase();
  await buildService();
}
