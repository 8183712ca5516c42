// Calls operations by the clients of openapi-generator; prints the typed answer of each as JSON.

import com.squareup.moshi.Moshi
import com.squareup.moshi.adapter
import java.io.File
import panel.apis.EvaluationApi
import panel.apis.ServiceApi
import panel.apis.SourcesApi
import public.apis.InferencesApi
import public.apis.RAGsApi
import public.models.InferenceRetrieveRequest
import public.models.InferenceRunRequest
import public.models.RagRetrieveRequest
import public.models.Scope

val PUBLIC: Moshi = public.infrastructure.Serializer.moshi
val PANEL: Moshi = panel.infrastructure.Serializer.moshi

fun failure(thrown: Throwable): String {
    val answer = (thrown as? public.infrastructure.ClientException)?.response
    val error = answer as? public.infrastructure.ClientError<*> ?: return "thrown $thrown"
    return "failed ${error.statusCode} ${error.body}"
}

@OptIn(ExperimentalStdlibApi::class)
inline fun <reified Answer> call(operation: String, moshi: Moshi, attempt: () -> Answer) {
    val line = runCatching { moshi.adapter<Answer>().toJson(attempt()) }.getOrElse(::failure)
    println("$operation\t${line.replace("\n", " ")}")
}

fun main() {
    val url = System.getenv("QUARRY_URL")
    public.infrastructure.ApiClient.accessToken = System.getenv("QUARRY_TOKEN")
    val rags = RAGsApi(url)
    val inferences = InferencesApi(url)
    val queries = listOf("days of leave")
    val search = RagRetrieveRequest(queries, topK = 2, includeSources = true)
    val scope = Scope(Scope.Type.path, "notes/")
    val run = InferenceRunRequest("How many days?", semanticSearch = queries)
    val retrieval = InferenceRetrieveRequest(semanticSearch = queries)
    call("listRags", PUBLIC) { rags.listRags() }
    call("getRag", PUBLIC) { rags.getRag("docs") }
    call("getRag none", PUBLIC) { rags.getRag("none") }
    call("listRagFiles", PUBLIC) { rags.listRagFiles("docs", 1) }
    call("retrieveFromRag", PUBLIC) { rags.retrieveFromRag("docs", search) }
    call("retrieveFromRag by score", PUBLIC) {
        val score = rags.retrieveFromRag("docs", search).chunks[0].score
        rags.retrieveFromRag("docs", search.copy(similarityThreshold = score))
    }
    call("addRagScope", PUBLIC) { rags.addRagScope("docs", scope) }
    call("removeRagScope", PUBLIC) { rags.removeRagScope("docs", scope) }
    call("listInferences", PUBLIC) { inferences.listInferences() }
    call("runInference", PUBLIC) { inferences.runInference("answering", run) }
    call("retrieveForInference", PUBLIC) { inferences.retrieveForInference("answering", retrieval) }
    call("listInferenceFiles", PUBLIC) { inferences.listInferenceFiles("answering", 1) }
    call("getFileStatus", PUBLIC) { inferences.getFileStatus("answering", "docs", "leave.md") }
    callPanel("$url/panel/api")
}

fun callPanel(url: String) {
    panel.infrastructure.ApiClient.accessToken = System.getenv("QUARRY_KEY")
    val sources = SourcesApi(url)
    val evaluation = EvaluationApi(url)
    val files = listOf("one.md", "two.md").map { File(System.getenv("QUARRY_FILES"), it) }
    call("postFileSourcesIdFiles", PANEL) { sources.postFileSourcesIdFiles("uploads", files) }
    call("getFileSources", PANEL) { sources.getFileSources(1) }
    call("getQuestionSets", PANEL) { evaluation.getQuestionSets(1) }
    for ((operation, format) in listOf(
        "export as NDJSON" to EvaluationApi.FormatGetQuestionSetsIdExport.jsonl,
        "export as CSV" to EvaluationApi.FormatGetQuestionSetsIdExport.csv,
    )) {
        call(operation, PANEL) { evaluation.getQuestionSetsIdExport("asked", format).readText() }
    }
    call("getArchive", PANEL) {
        ServiceApi(url).getArchive("docs").inputStream().use { String(it.readNBytes(2)) }
    }
}
