package io.mayflymq.server.ctl;

import io.mayflymq.core.proof.Claim;
import io.mayflymq.server.definitions.DefinitionsException;
import io.mayflymq.server.definitions.DefinitionsLint;
import io.mayflymq.server.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** Tells what can happen to the messages of a queue, and what cannot. */
final class ProofCommand {
  private static final String DEFINITIONS = "--definitions";
  private static final Map<String, String> HAPPENING =
      Map.of(
          "lost", "be lost",
          "late", "be late",
          "out of order", "come out of order",
          "twice", "come twice");

  private ProofCommand() {}

  static Command command() {
    return Command.named(
            "prove",
            "Tells what can happen to the messages of a queue, what cannot, and what would change"
                + " it")
        .inVhost()
        .arguments("subject", "name")
        .suggesting(List.of("queue"))
        .option(
            Option.text(
                "<file_path>",
                "a file of definitions, which is asked in place of a broker",
                DEFINITIONS))
        .noting(
            "What it tells, and which test holds each of its claims, is in docs/proof.md. With"
                + " --definitions no broker is needed: it tells what holds in a broker that is alone"
                + " and has the default configuration.")
        .shownAs(OutputFormat.STRING)
        .action(ProofCommand::prove);
  }

  private static Result prove(Invocation invocation) {
    String subject = invocation.argument(0);
    String name = invocation.argument(1);
    if (!subject.equals("queue")) {
      throw ControlException.usage("Bad argument: subject '%s' should be queue".formatted(subject));
    }
    String vhost = invocation.vhost();
    String file = invocation.option(DEFINITIONS);
    invocation.banner("Proving queue '%s' in vhost '%s' ...", name, vhost);
    Map<String, Object> proof =
        file == null ? ofBroker(invocation, vhost, name) : ofFile(invocation, file, vhost, name);
    return new Result.Value(proof, text(Api.objects(proof.get("claims"))));
  }

  private static ControlException missing(String vhost, String name) {
    return ControlException.error(
        Sysexits.DATA, "There is no queue '%s' in vhost '%s'".formatted(name, vhost));
  }

  private static Map<String, Object> ofBroker(Invocation invocation, String vhost, String name) {
    Object answer = invocation.api().find(Api.path("queues", vhost, name, "proof"));
    if (answer == null) {
      throw invocation.api().hasVhost(vhost)
          ? missing(vhost, name)
          : ControlException.noSuchVhost(vhost);
    }
    return Api.object(answer);
  }

  private static Map<String, Object> ofFile(
      Invocation invocation, String file, String vhost, String name) {
    try {
      Optional<List<Claim>> claims =
          DefinitionsLint.prove(LintCommands.read(invocation, file), vhost, name);
      return Json.object(
          "name",
          name,
          "vhost",
          vhost,
          "claims",
          claims.orElseThrow(() -> missing(vhost, name)).stream().map(Claim::toMap).toList());
    } catch (DefinitionsException e) {
      throw ControlException.error(
          Sysexits.DATA, "%s: %s".formatted(file, String.join("\n", e.problems())));
    }
  }

  /** What can happen comes first, by danger. */
  private static String text(List<Map<String, Object>> claims) {
    List<String> lines = new ArrayList<>();
    for (String verdict : List.of("can", "cannot")) {
      for (String danger : dangers(claims)) {
        List<Map<String, Object>> found =
            claims.stream()
                .filter(claim -> verdict.equals(claim.get("verdict")))
                .filter(claim -> danger.equals(claim.get("danger")))
                .toList();
        if (!found.isEmpty()) {
          lines.add(
              "%sMessages %s %s"
                  .formatted(lines.isEmpty() ? "" : "\n", verdict, HAPPENING.get(danger)));
          found.forEach(claim -> lines.addAll(lines(claim)));
        }
      }
    }
    return String.join("\n", lines);
  }

  private static List<String> dangers(List<Map<String, Object>> claims) {
    return claims.stream().map(claim -> Api.text(claim, "danger")).distinct().toList();
  }

  private static List<String> lines(Map<String, Object> claim) {
    return Stream.of(
            "  %s [%s]".formatted(claim.get("sentence"), claim.get("id")),
            "      when: " + claim.get("event"),
            "      from: " + claim.get("from"),
            claim.get("change") == null ? null : "      change: " + claim.get("change"))
        .filter(Objects::nonNull)
        .toList();
  }
}
