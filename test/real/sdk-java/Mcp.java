import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** Calls /mcp by the official SDK; prints a line for each thing that it tried. */
public class Mcp {
  static void check(String title, Callable<Object> attempt) {
    Object outcome;
    try {
      outcome = attempt.call();
    } catch (Exception failure) {
      outcome = failure;
    }
    boolean isRight = Boolean.TRUE.equals(outcome);
    System.out.println(isRight ? "ok " + title : "failed " + title + ": " + outcome);
  }

  static McpSyncClient client(String token) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder().header("Authorization", "Bearer " + token);
    var transport = HttpClientStreamableHttpTransport.builder(System.getenv("QUARRY_URL"))
        .endpoint("/mcp").requestBuilder(request).build();
    return McpClient.sync(transport).requestTimeout(Duration.ofMinutes(1)).build();
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> firstOf(McpSyncClient client, String query) {
    CallToolResult answer = client.callTool(new CallToolRequest("search", Map.of("query", query)));
    var content = (Map<String, List<Map<String, Object>>>) answer.structuredContent();
    return content.get("results").get(0);
  }

  public static void main(String[] args) {
    try (McpSyncClient client = client(System.getenv("QUARRY_TOKEN"))) {
      check("it connects", () -> !client.initialize().serverInfo().name().isEmpty());
      check("tools are listed", () -> client.listTools().tools().stream()
          .map(tool -> tool.name()).toList().containsAll(List.of("search", "fetch")));
      check("a search finds a passage", () ->
          firstOf(client, "days of leave").get("title").toString().toLowerCase().contains("leave"));
      check("a fetch gives the whole file", () -> {
        Object id = firstOf(client, "otters").get("id");
        CallToolResult file = client.callTool(new CallToolRequest("fetch", Map.of("id", id)));
        return file.structuredContent().toString().contains("alder");
      });
      check("wrong arguments are an error of the tool", () ->
          client.callTool(new CallToolRequest("search", Map.of())).isError());
      check("resources are listed and read", () -> {
        var resource = client.listResources().resources().get(0);
        return !client.readResource(resource).contents().isEmpty();
      });
      check("resource templates are listed", () ->
          client.listResourceTemplates().resourceTemplates() != null);
      check("prompts are listed, if there are any", () ->
          client.getServerCapabilities().prompts() == null || client.listPrompts() != null);
    }
    check("a wrong token does not connect", () -> {
      try (McpSyncClient wrong = client("wrong")) {
        wrong.initialize();
        return "a session";
      } catch (Exception refused) {
        return true;
      }
    });
  }
}
