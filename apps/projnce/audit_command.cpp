#include <fmt/format.h>

#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

#include "apps/projnce/command.h"
#include "apps/projnce/options.h"
#include "projnce/core/error.h"
#include "projnce/inference/audit.h"

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

std::string percent(double value) {
  return std::isnan(value) ? "-" : fmt::format("{:.1f} %", 100 * value);
}

void print_mistakes(const std::vector<inference::AuditReport::Mistake>& mistakes) {
  if (mistakes.empty()) return;
  std::cout << "\nMost frequent mistakes, as a share of the true class:\n";
  for (const auto& mistake : mistakes) {
    std::cout << fmt::format("  {:>5.1f} %  {} labeled {}\n", 100 * mistake.share,
                             mistake.class_name, mistake.labeled);
  }
}

void print_worst(const std::vector<inference::AuditReport::Suspect>& worst) {
  std::cout << fmt::format("\n{:>6}  {:<28} {:<18} {:<18}\n", "score", "the most suspect", "label",
                           "suggested");
  for (const auto& suspect : worst) {
    std::cout << fmt::format("{:>6.3f}  {:<28} {:<18} {:<18}\n", suspect.score, suspect.sample,
                             suspect.given, suspect.suggested);
  }
}

void print_check(const eval::AuditScore& check) {
  std::cout << fmt::format(
      "\n{} labels are known to be wrong: precision {}, recall {}, corrected {},\n"
      "average precision {}. Of the {} most suspect {} are wrong.\n",
      check.wrong, percent(check.precision), percent(check.recall), percent(check.corrected),
      percent(check.average_precision), check.worst, check.worst_wrong);
}

/// Which parts were audited, and what the audit can know.
void print_skill(const inference::AuditReport& report) {
  std::string parts;
  for (const auto& part : report.parts) {
    parts += fmt::format("{}{} {} samples", parts.empty() ? ": " : ", ", part.audited, part.name);
  }
  std::cout << fmt::format("audited {} labels{}\n", report.samples, parts)
            << fmt::format("held-out accuracy {}, most frequent class {}\n",
                           percent(report.skill.accuracy), percent(report.skill.chance_accuracy));
}

void print_audit(const inference::FiledAudit& audit) {
  const auto& report = audit.report;
  print_skill(report);
  if (!report.skill.informative) {
    std::cout << "\nThese features cannot tell the classes apart: do not use this list.\n"
                 "Train longer, or audit embeddings of a model that has learned such data.\n";
  } else {
    std::cout << fmt::format(
        "{} labels are probably wrong; expected precision {}\n"
        "estimated share of wrong labels {}\n",
        report.flagged, percent(report.expected_precision), percent(report.noise_rate));
    print_mistakes(report.mistakes);
    print_worst(report.worst);
  }
  if (report.check) print_check(*report.check);
  std::cout << '\n';
  for (const auto& file : audit.files) std::cout << file.string() << '\n';
}

nlohmann::ordered_json to_json(const inference::FiledAudit& audit) {
  auto json = inference::audit_json(audit.report);
  json["files"] = nlohmann::ordered_json::array();
  for (const auto& file : audit.files) json["files"].push_back(file.string());
  return json;
}

struct AuditArguments {
  inference::AuditRunRequest run;
  inference::AuditArraysRequest arrays;
  bool json = false;
};

inference::FiledAudit run_audit(AuditArguments& arguments, const Context& context) {
  auto& arrays = arguments.arrays;
  if (arrays.embeddings.empty()) {
    if (arguments.run.run.empty()) {
      fail("expected the directory of a run, or --embeddings and --labels");
    }
    arguments.run.context = open_context(context);
    return inference::audit_run(arguments.run, context.logger);
  }
  if (arguments.run.output.empty()) fail("expected a file to write, -o suspects.csv");
  arrays.output = arguments.run.output;
  arrays.options = arguments.run.options;
  return inference::audit_arrays(arrays);
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
    const auto audit = run_audit(*arguments, context);
    arguments->json ? print_json(to_json(audit)) : print_audit(audit);
  });
}

}  // namespace projnce::app::audit_command
