import java.io.File;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.Callable;
import quarry.api.InferencesApi;
import quarry.api.RagsApi;
import quarry.model.InferenceRetrieveRequest;
import quarry.model.InferenceRunRequest;
import quarry.model.RagRetrieveRequest;
import quarry.model.Scope;
import quarry.panel.api.EvaluationApi;
import quarry.panel.api.ServiceApi;
import quarry.panel.api.SourcesApi;

/** Calls operations by generated clients; prints the typed answer of each as JSON. */
public class Main {
  static void call(String operation, Callable<Object> attempt) {
    try {
      System.out.println(operation + "\t" + Library.json(attempt.call()));
    } catch (Exception failure) {
      System.out.println(operation + "\t" + Library.failure(failure));
    }
  }

  public static void main(String[] args) {
    String url = System.getenv("QUARRY_URL");
    File folder = new File(System.getenv("QUARRY_FILES"));
    List<String> queries = List.of("days of leave");
    RagsApi rags = new RagsApi(Library.client(url, System.getenv("QUARRY_TOKEN")));
    InferencesApi inferences =
        new InferencesApi(Library.client(url, System.getenv("QUARRY_TOKEN")));
    call("listRags", () -> rags.listRags());
    call("getRag", () -> rags.getRag("docs"));
    call("getRag none", () -> rags.getRag("none"));
    call("listRagFiles", () -> rags.listRagFiles("docs", 1, null, null, null));
    RagRetrieveRequest search =
        new RagRetrieveRequest().semanticSearch(queries).topK(2).includeSources(true);
    call("retrieveFromRag", () -> rags.retrieveFromRag("docs", search));
    call("retrieveFromRag by score", () -> {
      double score = rags.retrieveFromRag("docs", search).getChunks().get(0).getScore();
      return rags.retrieveFromRag("docs", search.similarityThreshold(score));
    });
    Scope scope = new Scope().type(Scope.TypeEnum.PATH).value("notes/");
    call("addRagScope", () -> rags.addRagScope("docs", scope));
    call("removeRagScope", () -> rags.removeRagScope("docs", scope));
    call("listInferences", () -> inferences.listInferences());
    call("runInference", () -> inferences.runInference("answering",
        new InferenceRunRequest().prompt("How many days?").semanticSearch(queries)));
    call("retrieveForInference", () -> inferences.retrieveForInference("answering",
        new InferenceRetrieveRequest().semanticSearch(queries)));
    call("listInferenceFiles", () -> inferences.listInferenceFiles("answering", 1, null, null));
    call("getFileStatus", () -> inferences.getFileStatus("answering", "docs", "leave.md"));
    panel(url + "/panel/api", System.getenv("QUARRY_KEY"), folder);
  }

  static void panel(String url, String key, File folder) {
    SourcesApi sources = new SourcesApi(Library.panelClient(url, key));
    EvaluationApi evaluation = new EvaluationApi(Library.panelClient(url, key));
    ServiceApi service = new ServiceApi(Library.panelClient(url, key));
    call("postFileSourcesIdFiles", () -> sources.postFileSourcesIdFiles("uploads",
        List.of(new File(folder, "one.md"), new File(folder, "two.md"))));
    call("getFileSources", () -> sources.getFileSources(1, null));
    call("getQuestionSets", () -> evaluation.getQuestionSets(1, null));
    call("export as NDJSON", () -> Files.readString(
        evaluation.getQuestionSetsIdExport("asked", "jsonl").toPath()));
    call("export as CSV", () -> Files.readString(
        evaluation.getQuestionSetsIdExport("asked", "csv").toPath()));
    call("getArchive", () -> Library.firstBytes(
        service.getArchive("docs", null, null, null, null, null)));
  }
}
