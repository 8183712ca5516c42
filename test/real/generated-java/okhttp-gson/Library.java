import java.io.File;
import java.io.FileInputStream;
import quarry.ApiClient;
import quarry.ApiException;
import quarry.JSON;

/** What differs between the libraries of openapi-generator: this is `okhttp-gson`. */
class Library {
  static ApiClient client(String url, String token) {
    ApiClient client = new ApiClient().setBasePath(url);
    client.setBearerToken(token);
    return client;
  }

  static quarry.panel.ApiClient panelClient(String url, String key) {
    quarry.panel.ApiClient client = new quarry.panel.ApiClient().setBasePath(url);
    client.setBearerToken(key);
    return client;
  }

  static String json(Object value) {
    boolean isPanel = value.getClass().getName().startsWith("quarry.panel");
    return isPanel ? quarry.panel.JSON.serialize(value) : JSON.serialize(value);
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
