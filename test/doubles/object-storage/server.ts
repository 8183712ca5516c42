/**
 * An S3-compatible server of its own process: its continuation tokens need OpenSSL's legacy
 * provider. Arguments: directory, bucket. Prints its port, ends when its parent goes.
 */
import S3rver from "s3rver";

const [directory = "", bucket = ""] = process.argv.slice(2);
const server = new S3rver({
  address: "127.0.0.1",
  port: 0,
  directory,
  silent: true,
  configureBuckets: [{ name: bucket }],
});
const { port } = await server.run();
process.stdout.write(`${port}\n`);
process.stdin.on("end", () => process.exit(0)).resume();
