package io.mayflymq.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.OwnBroker;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;

/** What the jar says of itself and of the software in it. */
@OwnBroker
class JarContentsIT {
  private static final String SBOM = "META-INF/sbom/mayfly.cdx.json";

  /** Libraries without an Apache licence of their own, and where their licence is. */
  private static final List<String> LICENCES =
      List.of(
          "META-INF/LICENSE",
          "META-INF/licenses/README.txt",
          "META-INF/licenses/logback.EPL-2.0.txt",
          "META-INF/licenses/ratis-thirdparty-misc.txt",
          "META-INF/licenses/re2j.BSD-3-Clause.txt",
          "META-INF/licenses/slf4j-api.MIT.txt",
          "META-INF/FastDoubleParser-LICENSE",
          "META-INF/Schubfach-LICENSE",
          "io/mayflymq/server/management/page/lib/lit-html.LICENSE.txt",
          "io/mayflymq/server/management/page/lib/uPlot.LICENSE.txt");

  private static String text(JarFile jar, String name) throws IOException {
    ZipEntry entry = jar.getEntry(name);
    assertThat(entry).as(name).isNotNull();
    try (InputStream in = jar.getInputStream(entry)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static JarFile jar() throws IOException {
    return new JarFile(Broker.jar().toFile());
  }

  @Test
  void noticeNamesTheAuthorsOfMayflyMqAndThoseOfLibraries() throws Exception {
    try (JarFile jar = jar()) {
      assertThat(text(jar, "META-INF/NOTICE"))
          .contains("MayflyMQ\nCopyright 2026 the MayflyMQ authors\n")
          .contains("Jackson JSON processor", "Apache Ratis Server")
          .doesNotContain("Copyright 2006-");
    }
  }

  @Test
  void jarHasTheLicencesOfWhatIsInIt() throws Exception {
    try (JarFile jar = jar()) {
      for (String licence : LICENCES) {
        assertThat(text(jar, licence)).as(licence).isNotBlank();
      }
    }
  }

  @Test
  void listOfTheSoftwareInTheJarNamesEachWithItsVersionAndLicence() throws Exception {
    try (JarFile jar = jar()) {
      Attributes manifest = jar.getManifest().getMainAttributes();
      assertThat(manifest.getValue("Sbom-Format")).isEqualTo("CycloneDX");
      assertThat(manifest.getValue("Sbom-Location")).isEqualTo(SBOM);
      assertThat(jar.getEntry(SBOM))
          .as(
              "%s: cyclonedx-maven-plugin makes it, which Maven leaves out with -o: package once"
                  + " without -o",
              SBOM)
          .isNotNull();
      String sbom = text(jar, SBOM);
      assertThat(Files.readString(Broker.jar().resolveSibling("mayfly.cdx.json"))).isEqualTo(sbom);
      JsonNode list = new ObjectMapper().readTree(sbom);
      assertThat(list.path("bomFormat").asText()).isEqualTo("CycloneDX");
      // A time would make each build another one.
      assertThat(list.path("metadata").has("timestamp")).isFalse();
      List<String> names = new ArrayList<>();
      for (JsonNode component : list.path("components")) {
        names.add(component.path("name").asText());
        assertThat(component.path("version").asText()).as("%s", component).isNotEmpty();
        assertThat(component.path("licenses")).as("%s", component).isNotEmpty();
        assertThat(component.path("purl").asText()).startsWith("pkg:maven/");
      }
      assertThat(names)
          .contains("netty-handler", "logback-core", "ratis-server", "lit-html", "uplot", "re2j")
          .doesNotContain("junit-jupiter", "jackson-databind", "assertj-core");
    }
  }

  @Test
  void jarTellsScannersTheVersionsOfLibraries() throws Exception {
    try (JarFile jar = jar()) {
      for (String library :
          List.of(
              "io.netty/netty-handler",
              "com.fasterxml.jackson.core/jackson-core",
              "org.apache.ratis/ratis-server",
              "io.mayflymq/broker-server")) {
        assertThat(text(jar, "META-INF/maven/" + library + "/pom.properties")).contains("version=");
      }
      assertThat(jar.getEntry("META-INF/maven/io.netty/netty-codec-http2/pom.properties"))
          .as("of what is not in the jar")
          .isNull();
    }
  }
}
