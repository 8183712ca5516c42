// The Worker first: it prepares the schemas that all others are made of.
import "../../src/index.ts";

// Whatever a request may be the first to need, as batches have theirs: requests that wait for one
// module at once go on in each other's events, or wait for good.
import "../../src/access/openid/recheck-session.ts";
import "../../src/access/programs/authorization-server.ts";
import "../../src/inference/ai-sdk.ts";
import "../../src/panel/api/app.ts";
import "../../src/panel/metrics.ts";
import "../../src/panel/pages/app.ts";
import "../../src/panel/pages/authorize/authorize.tsx";
import "../../src/protocols/app.ts";
import "../../src/protocols/mcp/serve.ts";
