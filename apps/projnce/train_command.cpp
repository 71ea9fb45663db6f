#include <fmt/format.h>

#include <iostream>

#include "apps/projnce/command.h"
#include "apps/projnce/stop_signal.h"
#include "projnce/pipeline/train.h"

namespace projnce::app {

namespace {

const char* const kSummary = "train an encoder and judge it on the test part of the data";
const char* const kDetails =
    "  projnce train --data photos                 a folder with a sub-folder for each class\n"
    "  projnce train --data cifar-10-binary.tar.gz an archive as its makers hand it out\n"
    "  projnce train experiments/fashion-mnist/quick.toml --set train.epochs=2\n"
    "  projnce train --resume --out runs/photos    go on with a run that was stopped\n"
    "  projnce train --data photos --out runs/photos --resume\n"
    "                                              the same command starts it and goes on with it\n"
    "\n"
    "Without CONFIG, sizes are chosen that suit a CPU; with it, what it leaves out is the paper's.";

struct Arguments {
  TrainRequest request;
  bool json = false;
};

void print_protocols(const nlohmann::ordered_json& protocols) {
  for (const auto& [name, value] : protocols.items()) {
    const auto& interval = value.at("top1_interval");
    std::cout << fmt::format("{:<9} {:.2f} % (95 % interval {:.2f} to {:.2f})\n", name,
                             100 * value.at("top1").get<double>(), 100 * interval[0].get<double>(),
                             100 * interval[1].get<double>());
  }
}

void print_information(const nlohmann::ordered_json& information) {
  if (information.is_null()) return;
  std::cout << fmt::format("knows     {:.3f} of {:.3f} nats about the class (mixed KSG)\n",
                           information.at("mixed_ksg").get<double>(),
                           information.at("label_entropy").get<double>());
}

void print_summary(const nlohmann::ordered_json& summary) {
  const auto& accuracy = summary.at("accuracy");
  const auto& seconds = summary.at("seconds");
  std::cout << fmt::format(
      "accuracy  {:.2f} % (last epoch), best {:.2f} % (epoch {}), by {}\n",
      100 * accuracy.at("last").get<double>(), 100 * accuracy.at("best").get<double>(),
      accuracy.at("best_epoch").get<int64_t>(), summary.at("protocol").get<std::string>());
  print_protocols(summary.at("protocols"));
  print_information(summary.at("information"));
  std::cout << fmt::format(
                   "time      {:.0f} s, {:.0f} samples/s while training, {:.1f} % of it "
                   "waiting for data\n",
                   seconds.at("total").get<double>(), summary.at("images_per_second").get<double>(),
                   100 * seconds.at("waiting_for_data").get<double>() /
                       std::max(seconds.at("train").get<double>(), 1e-9))
            << "run       " << summary.at("run").get<std::string>() << '\n';
}

void run(const Arguments& arguments, Context& context) {
  catch_stop_signals();
  const auto outcome =
      train(arguments.request, {.logger = context.logger,
                                .stop_requested = [] { return stop_signal() != 0; },
                                .data = open_context(context)});
  if (outcome.lost_checkpoints > 0) {
    context.logger->warn("{} checkpoint(s) could not be written", outcome.lost_checkpoints);
  }
  if (!outcome.finished) {
    context.logger->info("stopped; go on with: projnce train --resume --out {}",
                         outcome.run.string());
    context.exit_status = 128 + stop_signal();  // as shells report a signal
    return;
  }
  if (!outcome.writes) return;
  if (arguments.json) {
    print_json(outcome.summary);
  } else {
    print_summary(outcome.summary);
    if (!outcome.page.empty()) std::cout << "page      " << outcome.page.string() << '\n';
  }
}

}  // namespace

void add_train_command(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = add_command(app, "train", kSummary, kDetails);
  auto& request = arguments->request;
  command->add_option("CONFIG", request.run.config, "configuration file (TOML)");
  command->add_option(
      "--data", request.run.data,
      "folder with a sub-folder for each class, or a known dataset's folder or archive");
  command
      ->add_option("--set", request.run.settings,
                   "override one setting, such as --set train.epochs=20; repeatable")
      ->allow_extra_args(false);
  command->add_option("--out", request.out, "directory of the run (default: runs/DATASET-LOSS)");
  command->add_flag(
      "--resume", request.resume,
      "go on with the run in --out from its last checkpoint; where there is none yet, "
      "start it");
  command->add_flag("--force", request.force, "resume although settings or data changed")
      ->needs("--resume");
  command->add_flag("--live", request.live,
                    "keep RUN/report.html fresh while training; open it in a browser");
  command->add_flag("--strict", request.strict, "an unreadable sample is an error, not a warning");
  add_json_flag(*command, arguments->json);
  request.command = context.command_line;
  command->callback([arguments, &context] { run(*arguments, context); });
}

}  // namespace projnce::app
