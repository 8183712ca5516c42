import java.io.File;
import java.io.FileInputStream;
import quarry.ApiClient;
import quarry.ApiException;

/** What differs between the libraries of openapi-generator: this is `native`. */
class Library {
  static ApiClient client(String url, String token) {
    ApiClient client = new ApiClient();
    client.updateBaseUri(url);
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + token));
    return client;
  }

  static quarry.panel.ApiClient panelClient(String url, String key) {
    quarry.panel.ApiClient client = new quarry.panel.ApiClient();
    client.updateBaseUri(url);
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + key));
    return client;
  }

  static String json(Object value) throws Exception {
    return new ApiClient().getObjectMapper().writeValueAsString(value);
  }

  static String failure(Exception thrown) {
    if (thrown instanceof ApiException failure) {
      return "failed " + failure.getCode() + " " + failure.getResponseBody();
    }
    return "thrown " + thrown;
  }

  static String firstBytes(File file) throws Exception {
    try (FileInputStream bytes = new FileInputStream(file)) {
      return new String(bytes.readNBytes(2));
    }
  }
}
