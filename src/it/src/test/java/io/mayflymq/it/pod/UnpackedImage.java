package io.mayflymq.it.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.SystemCommand;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/**
 * The image for containers that the build has made beside the jar, unpacked as a container runtime
 * does it. To keep the owners of files needs root.
 *
 * @param root the root directory
 * @param environment the variables of the image, {@code NAME=value}
 * @param entrypoint what a container runs
 */
record UnpackedImage(Path root, List<String> environment, List<String> entrypoint) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Unpacks it; the test is skipped if there is none of the jar under test, with the reason. */
  static UnpackedImage in(Path directory) throws IOException {
    Path image = image();
    Path layout = Files.createDirectory(directory.resolve("image"));
    Path root = Files.createDirectory(directory.resolve("root"));
    SystemCommand.run("tar", "-xf", image.toString(), "-C", layout.toString()).orFail();
    JsonNode manifest = JSON.readTree(layout.resolve("manifest.json").toFile()).get(0);
    for (JsonNode layer : manifest.get("Layers")) {
      String file = layout.resolve(layer.textValue()).toString();
      SystemCommand.run(
              "tar", "-xzpf", file, "--numeric-owner", "--same-owner", "-C", root.toString())
          .orFail();
    }
    JsonNode config =
        JSON.readTree(layout.resolve(manifest.get("Config").textValue()).toFile()).get("config");
    return new UnpackedImage(root, texts(config.get("Env")), texts(config.get("Entrypoint")));
  }

  private static List<String> texts(JsonNode array) {
    List<String> texts = new ArrayList<>();
    array.forEach(text -> texts.add(text.textValue()));
    return List.copyOf(texts);
  }

  private static Path image() throws IOException {
    Path packages = Broker.jar().resolveSibling("packages");
    List<Path> images = new ArrayList<>();
    if (Files.isDirectory(packages)) {
      try (DirectoryStream<Path> found = Files.newDirectoryStream(packages, "*-oci.tar")) {
        found.forEach(images::add);
      }
    }
    Assumptions.assumeTrue(
        images.size() == 1, () -> "no image in %s: -Ppackages makes it".formatted(packages));
    Path image = images.get(0);
    Assumptions.assumeTrue(
        Files.getLastModifiedTime(image).compareTo(Files.getLastModifiedTime(Broker.jar())) >= 0,
        () -> "%s is older than the jar: -Ppackages makes it anew".formatted(image));
    return image;
  }

  /** Removes it; what containers have mounted there is mounted in their namespaces only. */
  void delete() {
    SystemCommand.run("rm", "-rf", "--one-file-system", root.toString()).orFail();
  }

  /** Makes the place of a volume, as a runtime does, where the image does not have it. */
  void mountPoint(String path, boolean isDirectory) throws IOException {
    Path place = root.resolve(path.substring(1));
    if (isDirectory) {
      Files.createDirectories(place);
    } else if (Files.notExists(place)) {
      Files.createDirectories(place.getParent());
      Files.createFile(place);
    }
  }
}
