/**
 * Installs the programs of other makers that tests run against the service, from the lock file in
 * test/witnesses. `npm ci` leaves them out: they were two thirds of its packages.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "../witnesses");
const LOCK = join(FOLDER, "package-lock.json");
/** A copy of the lock file, written once all of it is installed. */
const INSTALLED = join(FOLDER, "node_modules/.installed-lock.json");
const TIMEOUT_MS = 600_000;

const isCurrent = () => existsSync(INSTALLED) && readFileSync(INSTALLED).equals(readFileSync(LOCK));

/** @throws Error with what npm said, when they cannot be installed within ten minutes. */
export default function installWitnesses(): void {
  if (isCurrent()) return;
  const args = ["ci", "--no-audit", "--no-fund", "--loglevel=error"];
  const options = { cwd: FOLDER, encoding: "utf8" as const, timeout: TIMEOUT_MS };
  const { status, stderr, error } = spawnSync("npm", args, options);
  if (status !== 0) {
    const help =
      "Tests against programs of other makers need them: run `npm ci` in test/witnesses.";
    throw new Error(`${help}\n${error?.message ?? stderr}`);
  }
  copyFileSync(LOCK, INSTALLED);
}

if (import.meta.main) installWitnesses();
