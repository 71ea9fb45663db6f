#include <fmt/format.h>

#include <iostream>

#include "apps/projnce/command.h"
#include "apps/projnce/options.h"
#include "projnce/core/error.h"
#include "projnce/pipeline/audit.h"

namespace projnce::app::audit_command {

namespace {

const char* const kSummary = "find labels that are probably wrong, and what they should be";
const char* const kDetails =
    "  projnce audit runs/photos                          writes runs/photos/suspects.csv\n"
    "  projnce audit runs/photos --sheet worst.html       and a sheet of the worst\n"
    "  projnce audit --embeddings e.npy --labels l.npy -o suspects.csv\n"
    "\n"
    "All labeled samples are audited, the test part too, each by classifiers that have not seen "
    "its\n"
    "label. The CSV lists every sample, the most suspect first: index, sample, given and "
    "suggested\n"
    "label, the probability that the given one is wrong, and the part. Nothing is changed.";

double number(const nlohmann::ordered_json& object, const char* key) {
  return object.at(key).get<double>();
}

std::string text(const nlohmann::ordered_json& object, const char* key) {
  return object.at(key).get<std::string>();
}

std::string percent(const nlohmann::ordered_json& value) {
  return value.is_null() ? "-" : fmt::format("{:.1f} %", 100 * value.get<double>());
}

void print_mistakes(const nlohmann::ordered_json& mistakes) {
  if (mistakes.empty()) return;
  std::cout << "\nMost frequent mistakes, as a share of the true class:\n";
  for (const auto& entry : mistakes) {
    std::cout << fmt::format("  {:>5.1f} %  {} labeled {}\n", 100 * number(entry, "share"),
                             text(entry, "class"), text(entry, "labelled"));
  }
}

void print_worst(const nlohmann::ordered_json& worst) {
  std::cout << fmt::format("\n{:>6}  {:<28} {:<18} {:<18}\n", "score", "the most suspect", "label",
                           "suggested");
  for (const auto& row : worst) {
    std::cout << fmt::format("{:>6.3f}  {:<28} {:<18} {:<18}\n", number(row, "score"),
                             text(row, "sample"), text(row, "given"), text(row, "suggested"));
  }
}

void print_check(const nlohmann::ordered_json& check) {
  std::cout << fmt::format(
      "\n{} labels are known to be wrong: precision {}, recall {}, corrected {},\n"
      "average precision {}. Of the {} most suspect {} are wrong.\n",
      check.at("wrong").get<int64_t>(), percent(check.at("precision")), percent(check.at("recall")),
      percent(check.at("mended")), percent(check.at("average_precision")),
      check.at("worst").get<int64_t>(), check.at("worst_wrong").get<int64_t>());
}

/// Which parts were audited, and what the audit can know.
void print_skill(const nlohmann::ordered_json& result) {
  std::string parts;
  for (const auto& part : result.at("parts")) {
    parts += fmt::format("{}{} {} samples", parts.empty() ? ": " : ", ",
                         part.at("audited").get<int64_t>(), text(part, "part"));
  }
  const auto& skill = result.at("skill");
  std::cout << fmt::format("audited {} labels{}\n", result.at("samples").get<int64_t>(), parts)
            << fmt::format("held-out accuracy {}, most frequent class {}\n",
                           percent(skill.at("held_out_accuracy")),
                           percent(skill.at("chance_accuracy")));
}

void print_audit(const nlohmann::ordered_json& result) {
  print_skill(result);
  if (!result.at("skill").at("informative").get<bool>()) {
    std::cout << "\nThese features cannot tell the classes apart: do not use this list.\n"
                 "Train longer, or audit embeddings of a model that has learned such data.\n";
  } else {
    std::cout << fmt::format(
        "{} labels are probably wrong; expected precision {}\n"
        "estimated share of wrong labels {}\n",
        result.at("flagged").get<int64_t>(), percent(result.at("expected_precision")),
        percent(result.at("noise_rate")));
    print_mistakes(result.at("mistakes"));
    print_worst(result.at("worst"));
  }
  if (result.contains("check")) print_check(result.at("check"));
  std::cout << '\n';
  for (const auto& file : result.at("files")) std::cout << file.get<std::string>() << '\n';
}

struct AuditArguments {
  AuditRunRequest run;
  AuditArraysRequest arrays;
  bool json = false;
};

nlohmann::ordered_json run_audit(AuditArguments& arguments, const Context& context) {
  auto& arrays = arguments.arrays;
  if (arrays.embeddings.empty()) {
    if (arguments.run.run.empty()) {
      fail("expected the directory of a run, or --embeddings and --labels");
    }
    arguments.run.context = open_context(context);
    return audit_run(arguments.run, context.logger);
  }
  if (arguments.run.output.empty()) fail("expected a file to write, -o suspects.csv");
  arrays.output = arguments.run.output;
  arrays.options = arguments.run.options;
  return audit_arrays(arrays);
}

}  // namespace

void add(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<AuditArguments>();
  auto& run = arguments->run;
  auto& arrays = arguments->arrays;
  auto* command = add_command(app, "audit", kSummary, kDetails);
  auto* of_run = command->add_option("RUN", run.run, "directory of the run");
  auto* embeddings = command->add_option("--embeddings", arrays.embeddings,
                                         ".npy matrix of any program, instead of a run");
  auto* labels = command->add_option("--labels", arrays.labels, ".npy list of their labels");
  embeddings->needs(labels)->excludes(of_run);
  labels->needs(embeddings);
  command
      ->add_option("--data", run.data,
                   "where the run's data lies now, if it was moved (default: where it was)")
      ->excludes(embeddings);
  command->add_option("-o,--output", run.output, "CSV file to write (RUN/suspects.csv)");
  command->add_option("--sheet", run.sheet, "also draw the most suspect: FILE.html or FILE.png")
      ->excludes(embeddings);
  command
      ->add_option("--save-features", run.features,
                   "also write what the encoder says: FILE.npy, labels to FILE.labels.npy")
      ->excludes(embeddings);
  add_number(*command, "--folds", run.options.folds, between(2, 1000),
             "number of cross-validation folds");
  add_number(*command, "--seed", run.options.seed, at_least(0), "random seed of the folds");
  add_json_flag(*command, arguments->json);
  command->callback([arguments, &context] {
    const auto result = run_audit(*arguments, context);
    arguments->json ? print_json(result) : print_audit(result);
  });
}

}  // namespace projnce::app::audit_command
