//! Calls operations by the clients of openapi-generator; prints the typed answer of each as JSON.

use std::{env, fmt::Debug, path::PathBuf};

use panel::apis::{evaluation_api as evaluation, service_api as service, sources_api as sources};
use public::apis::{inferences_api as inferences, rags_api as rags};
use public::models;
use serde::Serialize;

/// The status and body of a failure: each client has an error type of its own.
trait Refusal {
    fn refusal(&self) -> Option<(u16, &str)>;
}

macro_rules! refusal_of {
    ($client:ident) => {
        impl<Entity> Refusal for $client::apis::Error<Entity> {
            fn refusal(&self) -> Option<(u16, &str)> {
                match self {
                    Self::ResponseError(answer) => Some((answer.status.as_u16(), &answer.content)),
                    _ => None,
                }
            }
        }
    };
}
refusal_of!(public);
refusal_of!(panel);

fn call<Answer: Serialize, Failure: Refusal + Debug>(
    operation: &str,
    answer: Result<Answer, Failure>,
) {
    let line = match answer {
        Ok(value) => serde_json::to_string(&value).unwrap(),
        Err(failure) => match failure.refusal() {
            Some((status, body)) if status >= 400 => format!("failed {status} {body}"),
            _ => format!("thrown {failure:?}"),
        },
    };
    println!("{operation}\t{line}");
}

/// The first bytes of a file.
async fn text_of<Failure>(
    file: Result<reqwest::Response, Failure>,
    length: usize,
) -> Result<String, Failure> {
    let bytes = file?.bytes().await.unwrap();
    Ok(String::from_utf8_lossy(&bytes[..length.min(bytes.len())]).into_owned())
}

const LONGEST: usize = 10_000;

#[tokio::main]
async fn main() {
    let url = env::var("QUARRY_URL").unwrap();
    let mut client = public::apis::configuration::Configuration::new();
    client.base_path = url.clone();
    client.bearer_access_token = env::var("QUARRY_TOKEN").ok();
    call("listRags", rags::list_rags(&client).await);
    call("getRag", rags::get_rag(&client, "docs").await);
    call("getRag none", rags::get_rag(&client, "none").await);
    call("listRagFiles", rags::list_rag_files(&client, "docs", 1, None, None, None).await);
    let queries = vec!["days of leave".to_owned()];
    let mut search = models::RagRetrieveRequest::new(queries.clone());
    search.top_k = Some(2);
    search.include_sources = Some(true);
    call("retrieveFromRag", rags::retrieve_from_rag(&client, "docs", search.clone()).await);
    let first = rags::retrieve_from_rag(&client, "docs", search.clone()).await;
    search.similarity_threshold = first.ok().map(|answer| answer.chunks[0].score);
    call("retrieveFromRag by score", rags::retrieve_from_rag(&client, "docs", search).await);
    let scope = models::Scope::new(models::scope::Type::Path, "notes/".to_owned());
    call("addRagScope", rags::add_rag_scope(&client, "docs", scope.clone()).await);
    call("removeRagScope", rags::remove_rag_scope(&client, "docs", scope).await);
    call("listInferences", inferences::list_inferences(&client).await);
    let mut run = models::InferenceRunRequest::new("How many days?".to_owned());
    run.semantic_search = Some(queries.clone());
    call("runInference", inferences::run_inference(&client, "answering", run).await);
    let mut retrieval = models::InferenceRetrieveRequest::new();
    retrieval.semantic_search = Some(queries);
    let answer = inferences::retrieve_for_inference(&client, "answering", Some(retrieval)).await;
    call("retrieveForInference", answer);
    let page = inferences::list_inference_files(&client, "answering", 1, None, None).await;
    call("listInferenceFiles", page);
    let state = inferences::get_file_status(&client, "answering", "docs", "leave.md").await;
    call("getFileStatus", state);
    call_panel(&url).await;
}

async fn call_panel(url: &str) {
    let mut client = panel::apis::configuration::Configuration::new();
    client.base_path = format!("{url}/panel/api");
    client.bearer_access_token = env::var("QUARRY_KEY").ok();
    let folder = PathBuf::from(env::var("QUARRY_FILES").unwrap());
    let files = vec![folder.join("one.md"), folder.join("two.md")];
    let stored = sources::post_file_sources_id_files(&client, "uploads", files).await;
    call("postFileSourcesIdFiles", stored);
    call("getFileSources", sources::get_file_sources(&client, Some(1), None).await);
    call("getQuestionSets", evaluation::get_question_sets(&client, Some(1), None).await);
    for (operation, format) in [("export as NDJSON", "jsonl"), ("export as CSV", "csv")] {
        let file = evaluation::get_question_sets_id_export(&client, "asked", Some(format)).await;
        call(operation, text_of(file, LONGEST).await);
    }
    let archive = service::get_archive(&client, Some("docs"), None, None, None, None, None).await;
    call("getArchive", text_of(archive, 2).await);
}
