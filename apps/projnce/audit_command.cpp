#include <fmt/format.h>

#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

#include "apps/projnce/command.h"
#include "apps/projnce/options.h"
#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/inference/audit.h"
#include "projnce/inference/results_json.h"
#include "projnce/io/printable.h"

namespace projnce::app::audit_command {

namespace {

const char* const kSummary = "find mislabeled samples and suggest corrections";
const char* const kDetails =
    "  projnce audit runs/photos                          write runs/photos/label_issues.csv\n"
    "  projnce audit runs/photos --sheet worst.html       also draw the top label issues\n"
    "  projnce audit data.csv --label intent --text utterance --embeddings e.npy -o issues.csv\n"
    "  projnce audit --embeddings e.npy --labels l.npy -o label_issues.csv\n"
    "\n"
    "Audits all labeled samples, including the test split, by out-of-fold predictions: no\n"
    "classifier has seen the label that it checks. The CSV lists all samples, most likely\n"
    "mislabeled first: index, sample, given and suggested label, probability that the given label\n"
    "is wrong, split. For a table, it lists every row in order: row, id, given_label,\n"
    "predicted_label, label_quality (1: surely right), is_label_issue. The data is not modified.";

std::string percent(double value) {
  return std::isnan(value) ? "-" : fmt::format("{:.1f} %", 100 * value);
}

void print_label_errors(const std::vector<inference::AuditReport::LabelError>& mistakes) {
  if (mistakes.empty()) return;
  std::cout << "\nMost frequent label errors, as a fraction of the true class:\n";
  for (const auto& mistake : mistakes) {
    std::cout << fmt::format("  {:>5.1f} %  {} labeled {}\n", 100 * mistake.share,
                             mistake.class_name, mistake.labeled);
  }
}

void print_top_issues(const std::vector<inference::AuditReport::LabelIssue>& worst) {
  std::cout << fmt::format("\n{:>6}  {:<28} {:<18} {:<18}\n", "score", "top label issues", "label",
                           "suggested");
  for (const auto& issue : worst) {
    std::cout << fmt::format("{:>6.3f}  {:<28} {:<18} {:<18}{}{}\n", issue.score, issue.sample,
                             issue.given, issue.suggested, issue.text.empty() ? "" : " ",
                             issue.text);
  }
}

void print_ground_truth(const eval::AuditScore& check) {
  std::cout << fmt::format(
      "\nground truth: {} wrong; precision {}, recall {}, corrected {},\n"
      "average precision {}; {} of the top {} mislabeled\n",
      counted(check.wrong, "label is", "labels are"), percent(check.precision),
      percent(check.recall), percent(check.corrected), percent(check.average_precision),
      check.worst_wrong, counted(check.worst, "sample is", "samples are"));
}

/// Prints the audited splits and the held-out accuracy of the classifiers.
void print_skill(const inference::AuditReport& report) {
  std::string splits;
  for (const auto& split : report.splits) {
    splits += concat(splits.empty() ? ": " : ", ", counted(split.audited, split.name + " sample"));
  }
  std::cout << fmt::format("audited {}{}\n", counted(report.samples, "label"), splits)
            << fmt::format("held-out accuracy {}, most frequent class {}\n",
                           percent(report.skill.accuracy), percent(report.skill.chance_accuracy));
}

void print_audit(const inference::AuditOutput& audit) {
  const auto& report = audit.report;
  print_skill(report);
  if (!report.skill.informative) {
    std::cout << "\nThese features do not separate the classes: do not use this list.\n"
                 "Train longer, or audit embeddings of a model trained on similar data.\n";
  } else {
    std::cout << fmt::format(
        "{} probably wrong; expected precision {}\n"
        "estimated label noise rate {}\n",
        counted(report.flagged, "label is", "labels are"), percent(report.expected_precision),
        percent(report.noise_rate));
    print_label_errors(report.mistakes);
    print_top_issues(report.worst);
  }
  if (report.check) print_ground_truth(*report.check);
  std::cout << '\n';
  for (const auto& file : audit.files) std::cout << file.string() << '\n';
}

nlohmann::ordered_json to_json(const inference::AuditOutput& audit) {
  auto json = inference::audit_json(audit.report);
  json["files"] = nlohmann::ordered_json::array();
  for (const auto& file : audit.files) json["files"].push_back(file.string());
  return json;
}

struct AuditArguments {
  inference::AuditRunRequest run;
  inference::AuditArraysRequest arrays;
  inference::AuditTableRequest table;
  bool json = false;
};

inference::AuditOutput audit_rows(AuditArguments& arguments, const Context& context) {
  auto& [table, output, options] = arguments.table;
  if (!arguments.arrays.labels.empty()) {
    fail("--labels is for --embeddings without a table, expected --label COLUMN");
  }
  for (const auto& [option, given] :
       {std::pair{"--data", !arguments.run.data.empty()},
        std::pair{"--sheet", !arguments.run.sheet.empty()},
        std::pair{"--save-features", !arguments.run.features.empty()}}) {
    if (given) fail(option, " is for runs, expected a run instead of a table");
  }
  if (arguments.run.output.empty()) fail("expected an output file, such as -o issues.csv");
  table.embeddings = arguments.arrays.embeddings;
  table.context = open_context(context);
  output = arguments.run.output;
  options = arguments.run.options;
  return inference::audit_table(arguments.table, context.logger);
}

inference::AuditOutput run_audit(AuditArguments& arguments, const Context& context) {
  auto& arrays = arguments.arrays;
  if (take_table(arguments.table.table, arguments.run.run)) return audit_rows(arguments, context);
  if (arrays.embeddings.empty()) {
    if (arguments.run.run.empty()) {
      fail("expected the directory of a run, or --embeddings and --labels");
    }
    arguments.run.context = open_context(context);
    return inference::audit_run(arguments.run, context.logger);
  }
  if (!arguments.run.run.empty()) {
    fail(io::printable(arguments.run.run.native()),
         " is not a table (.csv, .tsv or .jsonl): expected a run or --embeddings, not both");
  }
  if (arrays.labels.empty()) fail("--embeddings requires --labels or a table");
  if (arguments.run.output.empty()) fail("expected an output file, such as -o label_issues.csv");
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
  command->add_option("RUN", run.run, "directory of the run, or a table (.csv, .tsv, .jsonl)");
  auto* embeddings =
      command->add_option("--embeddings", arrays.embeddings,
                          "matrix of embeddings (.npy, .safetensors) of a table or --labels");
  auto* labels = command->add_option("--labels", arrays.labels, ".npy array of their labels");
  labels->needs(embeddings);
  command->add_option("--data", run.data, "current path of the run's data, if it was moved")
      ->excludes(embeddings);
  command->add_option("-o,--output", run.output,
                      "CSV file to write (default: RUN/label_issues.csv)");
  command
      ->add_option("--sheet", run.sheet, "also draw the top label issues to FILE.html or FILE.png")
      ->excludes(embeddings);
  command
      ->add_option("--save-features", run.features,
                   "also write the encoder's features to FILE.npy and labels to FILE.labels.npy")
      ->excludes(embeddings);
  add_number(*command, "--folds", run.options.folds, between(2, 1000),
             "number of cross-validation folds");
  add_number(*command, "--seed", run.options.seed, at_least(0), "random seed of the folds");
  add_table_options(*command, arguments->table.table);
  add_json_flag(*command, arguments->json);
  command->callback([arguments, &context] {
    const auto audit = run_audit(*arguments, context);
    arguments->json ? print_json(to_json(audit)) : print_audit(audit);
  });
}

}  // namespace projnce::app::audit_command
