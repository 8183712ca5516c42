/**
 * Replaces `@ai-sdk/gateway` in bundles, by `alias` in wrangler.toml: 80 KB. `ai` asks that client
 * for models that are named by a string; ours are objects.
 */
export class GatewayError extends Error {
  static isInstance(): boolean {
    return false;
  }
}

export {
  GatewayError as GatewayAuthenticationError,
  GatewayError as createGateway,
  GatewayError as gateway,
};
