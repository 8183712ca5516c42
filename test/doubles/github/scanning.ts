import { githubConfig } from "../../../src/sources/github/github-config.ts";
import { GithubReader } from "../../../src/sources/github/github-reader.ts";
import { simulatedScans } from "../source/simulated-scans.ts";
import { BASE, GithubDouble, TOKEN } from "./github-double.ts";

type Settings = Record<string, unknown>;

/** Scans of the double's owner, by a token unless the settings have other credentials. */
export function githubSource(
  double: GithubDouble,
  settings: Settings = {},
  readsPermissions = false,
) {
  const usual = { owner: double.owner, credentials: { token: TOKEN }, apiBaseUrl: BASE };
  const { credentials, ...config } = githubConfig.parse({ ...usual, ...settings });
  return simulatedScans((context) => {
    const outgoing = { fetch: double.fetch, allowPrivate: false };
    return new GithubReader(config, credentials, { outgoing, readsPermissions, ...context });
  });
}

/** One repository, and scans of its owner. */
export function openRepository(settings: Settings = {}, readsPermissions = false) {
  const double = new GithubDouble();
  const own = double.repository("handbook");
  return { double, own, source: githubSource(double, settings, readsPermissions) };
}
