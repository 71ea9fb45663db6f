#include <fmt/format.h>

#include <iostream>

#include "apps/projnce/command.h"
#include "projnce/pipeline/evaluate.h"

namespace projnce::app {

namespace {

const char* const kSummary = "accuracy of a run: top-1, top-5, by class, what was taken for what";
const char* const kDetails =
    "  projnce eval runs/photos                 on the run's own test part\n"
    "  projnce eval runs/photos --data other    on the test part of another folder";

void print_result(const nlohmann::ordered_json& result) {
  std::cout << fmt::format("{} test samples, protocol {}\n", result.at("samples").get<int64_t>(),
                           result.at("protocol").get<std::string>())
            << fmt::format("top-1  {:.2f} %\n", 100 * result.at("top1").get<double>())
            << fmt::format("top-5  {:.2f} %\n\n", 100 * result.at("top5").get<double>())
            << fmt::format("{:<24} {:>8}  most often taken for\n", "class", "top-1");
  for (const auto& row : result.at("classes")) {
    const auto share = row.at("top1").is_null()
                           ? std::string("-")
                           : fmt::format("{:.1f} %", 100 * row.at("top1").get<double>());
    std::cout << fmt::format("{:<24} {:>8}  {}\n", row.at("name").get<std::string>(), share,
                             row.at("taken_for").get<std::string>());
  }
}

}  // namespace

void add_eval_command(CLI::App& app, Context& context) {
  struct Arguments {
    EvaluateRequest request;
    bool json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  auto* command = add_command(app, "eval", kSummary, kDetails);
  command->add_option("RUN", arguments->request.run, "directory of the run")->required();
  command->add_option("--data", arguments->request.data, "folder to judge on instead");
  command->add_option("--protocol", arguments->request.protocol,
                      "how classes are told: zero-shot (nearest centroid; logits for ce)");
  add_json_flag(*command, arguments->json);
  command->callback([arguments, &context] {
    arguments->request.context = open_context(context);
    const auto result = evaluate_run(arguments->request, context.logger);
    arguments->json ? print_json(result) : print_result(result);
  });
}

}  // namespace projnce::app
