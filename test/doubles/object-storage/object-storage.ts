import { AwsClient } from "aws4fetch";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The only key pair that the server knows. */
export const CREDENTIALS = { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" };

/** A real S3-compatible server on loopback, with one empty bucket. */
export async function startObjectStorage(bucket: string) {
  const directory = mkdtempSync(join(tmpdir(), "quarry-s3-"));
  const script = fileURLToPath(new URL("./server.ts", import.meta.url).href);
  const server = spawn(
    process.execPath,
    ["--openssl-legacy-provider", "--no-warnings", script, directory, bucket],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  const [port] = await once(createInterface(server.stdout), "line");
  const endpoint = `http://127.0.0.1:${port}`;
  const client = new AwsClient({ ...CREDENTIALS, region: "us-east-1", service: "s3", retries: 0 });
  const write = async (
    method: "PUT" | "DELETE",
    key: string,
    body?: string,
    headers: Record<string, string> = {},
  ) => {
    const url = `${endpoint}/${bucket}/${encodeURIComponent(key).replaceAll("%2F", "/")}`;
    const response = await client.fetch(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    if (!response.ok) throw new Error(`${method} ${key}: ${response.status}`);
    await response.arrayBuffer();
  };
  return {
    endpoint,
    bucket,
    put: (key: string, body: string, headers?: Record<string, string>) =>
      write("PUT", key, body, headers),
    remove: (key: string) => write("DELETE", key),
    async stop() {
      server.stdin.end();
      await once(server, "exit");
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
