import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.http.StreamResponse;
import com.openai.errors.OpenAIServiceException;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionStreamOptions;
import com.openai.models.embeddings.EmbeddingCreateParams;
import com.openai.models.responses.ResponseCreateParams;
import com.openai.models.vectorstores.VectorStoreSearchParams;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;

/** Calls /v1 by OpenAI's SDK; prints a line for each thing that it tried. */
public class OpenAi {
  static final String QUESTION = "How many days of leave are there?";

  /** A function that the model may call. */
  static class GetLeave {
    public String person;
  }

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

  static Object status(Callable<Object> attempt) throws Exception {
    try {
      return attempt.call();
    } catch (OpenAIServiceException failure) {
      return failure.statusCode();
    }
  }

  static OpenAIClient client(String key) {
    String url = System.getenv("QUARRY_URL") + "/v1";
    return OpenAIOkHttpClient.builder().baseUrl(url).apiKey(key).maxRetries(0).build();
  }

  static ChatCompletionCreateParams.Builder question(String model) {
    return ChatCompletionCreateParams.builder().model(model).addUserMessage(QUESTION);
  }

  public static void main(String[] args) {
    OpenAIClient client = client(System.getenv("QUARRY_TOKEN"));
    String model = "inference/answering";
    check("models are listed", () ->
        client.models().list().data().stream().anyMatch(listed -> listed.id().equals(model)));
    check("a chat is answered, with usage", () -> {
      ChatCompletion answer = client.chat().completions().create(question(model).build());
      String text = answer.choices().get(0).message().content().orElse("");
      return !text.isEmpty() && answer.usage().get().totalTokens() > 0;
    });
    check("a chat is streamed, usage last", () -> {
      ChatCompletionStreamOptions options =
          ChatCompletionStreamOptions.builder().includeUsage(true).build();
      StringBuilder text = new StringBuilder();
      AtomicLong tokens = new AtomicLong();
      try (StreamResponse<ChatCompletionChunk> stream = client.chat().completions()
          .createStreaming(question(model).streamOptions(options).build())) {
        stream.stream().forEach(chunk -> {
          chunk.choices().forEach(choice -> choice.delta().content().ifPresent(text::append));
          chunk.usage().ifPresent(usage -> tokens.set(usage.totalTokens()));
        });
      }
      return text.length() > 0 && tokens.get() > 0;
    });
    check("a chat with a function is answered", () -> !client.chat().completions()
        .create(question(model).addTool(GetLeave.class).build()).choices().isEmpty());
    check("a response is answered", () -> !client.responses()
        .create(ResponseCreateParams.builder().model(model).input(QUESTION).build())
        .output().isEmpty());
    check("embeddings are vectors, one a text", () -> {
      List<String> texts = List.of("leave", "otters");
      var answer = client.embeddings().create(EmbeddingCreateParams.builder()
          .model("embedded/hash").inputOfArrayOfStrings(texts).build());
      return answer.data().size() == texts.size() && answer.data().get(0).embedding().size() > 1;
    });
    check("vector stores are searched", () -> {
      String store = client.vectorStores().list().data().get(0).id();
      var search = VectorStoreSearchParams.builder().query("days of leave").maxNumResults(1);
      var first = client.vectorStores().search(store, search.build()).data().get(0);
      return first.filename().equals("leave.md") && !first.content().get(0).text().isEmpty();
    });
    check("an unknown model is 404", () -> status(() ->
        client.chat().completions().create(question("inference/none").build())).equals(404));
    check("a wrong key is 401", () -> status(() -> client("wrong").models().list()).equals(401));
    check("a wrong value is 400", () -> status(() ->
        client.chat().completions().create(question(model).temperature(9).build())).equals(400));
  }
}
