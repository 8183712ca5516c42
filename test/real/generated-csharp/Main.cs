// Calls operations by the clients of openapi-generator; prints the typed answer of each as JSON.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using Newtonsoft.Json;
using QuarryPanel.Api;
using QuarryPublic.Api;
using QuarryPublic.Client;
using QuarryPublic.Model;
using Upload = QuarryPanel.Client.FileParameter;

static class Program
{
    static string Variable(string name) => Environment.GetEnvironmentVariable(name);

    static void Call(string operation, Func<object> attempt)
    {
        string line;
        try
        {
            line = JsonConvert.SerializeObject(attempt());
        }
        catch (ApiException thrown)
        {
            line = $"failed {thrown.ErrorCode} {thrown.ErrorContent}";
        }
        catch (Exception thrown)
        {
            line = $"thrown {thrown}";
        }
        Console.WriteLine($"{operation}\t{line.Replace("\n", " ")}");
    }

    static void Main()
    {
        Console.OutputEncoding = new UTF8Encoding(false);
        var settings = new Configuration
        {
            BasePath = Variable("QUARRY_URL"),
            AccessToken = Variable("QUARRY_TOKEN"),
        };
        var rags = new RAGsApi(settings);
        var inferences = new InferencesApi(settings);
        var queries = new List<string> { "days of leave" };
        var search = new RagRetrieveRequest(queries, topK: 2, includeSources: true);
        var scope = new Scope(Scope.TypeEnum.Path, "notes/");
        Call("listRags", () => rags.ListRags());
        Call("getRag", () => rags.GetRag("docs"));
        Call("getRag none", () => rags.GetRag("none"));
        Call("listRagFiles", () => rags.ListRagFiles("docs", 1));
        Call("retrieveFromRag", () => rags.RetrieveFromRag("docs", search));
        Call("retrieveFromRag by score", () =>
        {
            search.SimilarityThreshold = rags.RetrieveFromRag("docs", search).Chunks[0].Score;
            return rags.RetrieveFromRag("docs", search);
        });
        Call("addRagScope", () => rags.AddRagScope("docs", scope));
        Call("removeRagScope", () => rags.RemoveRagScope("docs", scope));
        Call("listInferences", () => inferences.ListInferences());
        Call("runInference", () => inferences.RunInference(
            "answering", new InferenceRunRequest("How many days?", semanticSearch: queries)));
        Call("retrieveForInference", () => inferences.RetrieveForInference(
            "answering", new InferenceRetrieveRequest(semanticSearch: queries)));
        Call("listInferenceFiles", () => inferences.ListInferenceFiles("answering", 1));
        Call("getFileStatus", () => inferences.GetFileStatus("answering", "docs", "leave.md"));
        CallPanel();
    }

    static void CallPanel()
    {
        var settings = new QuarryPanel.Client.Configuration
        {
            BasePath = $"{Variable("QUARRY_URL")}/panel/api",
            AccessToken = Variable("QUARRY_KEY"),
        };
        var sources = new SourcesApi(settings);
        var evaluation = new EvaluationApi(settings);
        var files = new[] { "one.md", "two.md" }
            .Select(name => new Upload(name, File.OpenRead(Path.Combine(Variable("QUARRY_FILES"), name))))
            .ToList();
        Call("postFileSourcesIdFiles", () => sources.PostFileSourcesIdFiles("uploads", files));
        Call("getFileSources", () => sources.GetFileSources(1));
        Call("getQuestionSets", () => evaluation.GetQuestionSets(1));
        Call("export as NDJSON", () => Text(evaluation.GetQuestionSetsIdExport("asked", "jsonl")));
        Call("export as CSV", () => Text(evaluation.GetQuestionSetsIdExport("asked", "csv")));
        Call("getArchive", () => Text(new ServiceApi(settings).GetArchive("docs")).Substring(0, 2));
    }

    static string Text(Upload file) => new StreamReader(file.Content, new UTF8Encoding(false)).ReadToEnd();
}
