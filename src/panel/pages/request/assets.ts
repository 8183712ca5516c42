import { z } from "zod";

import type { Env } from "../../../env.ts";
import type { AssetNames } from "../../components/layout.tsx";

const PREFIX = "/assets/panel";
/** Any host: the binding looks at the path only. */
const MANIFEST = `https://assets.local${PREFIX}/manifest.json`;

const manifest = z.object({ style: z.string(), script: z.string(), icon: z.string() });

/** Without assets, a page is plain and still works. */
const NONE: AssetNames = { style: "", script: "", icon: "" };

/** The names change with a deployment only, and an isolate belongs to one deployment. */
const namesByFetcher = new WeakMap<Fetcher, AssetNames>();

export async function assetNames({ ASSETS }: Pick<Env, "ASSETS">): Promise<AssetNames> {
  if (ASSETS === undefined) return NONE;
  const names = namesByFetcher.get(ASSETS) ?? (await readManifest(ASSETS));
  namesByFetcher.set(ASSETS, names);
  return names;
}

async function readManifest(assets: Fetcher): Promise<AssetNames> {
  const response = await assets.fetch(MANIFEST);
  if (!response.ok) return NONE;
  const { style, script, icon } = manifest.parse(await new Response(response.body).json());
  return { style: `${PREFIX}/${style}`, script: `${PREFIX}/${script}`, icon: `${PREFIX}/${icon}` };
}
