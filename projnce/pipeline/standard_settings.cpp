#include "projnce/pipeline/standard_settings.h"

#include "projnce/augment/augment_options.h"
#include "projnce/core/error.h"
#include "projnce/dataset/open_dataset.h"
#include "projnce/encoder/registry.h"
#include "projnce/loss/registry.h"
#include "projnce/pipeline/eval_options.h"
#include "projnce/pipeline/report_options.h"
#include "projnce/pipeline/run_config.h"
#include "projnce/train/passing_state.h"
#include "projnce/train/train_options.h"

namespace projnce {

namespace {

/// Puts LibTorch's random generator back at the end of a scope.
class KeepRandomState {
 public:
  KeepRandomState() = default;
  ~KeepRandomState() { set_random_state(state_); }
  KeepRandomState(const KeepRandomState&) = delete;
  KeepRandomState& operator=(const KeepRandomState&) = delete;

 private:
  torch::Tensor state_ = random_state();
};

/// Builds the loss, which is small, to know its defaults. A report is made while a training goes
/// on, whose random numbers it must not change.
void complete_loss_table(Table& table) {
  const KeepRandomState keep;
  make_loss(table, {.num_classes = 2, .embedding_dim = 2, .feature_dim = 2},
            [](const std::string&) {
              return torch::ones({2, 2});
            });
}

/// A section that cannot be without a setting of the user's (a matrix's file, say) has no defaults.
template <class Complete>
void try_to_complete(const Complete& complete) {
  try {
    complete();
  } catch (const Error&) {
  }
}

Table standard_for(const Table& config) {
  Table table;
  for (const auto* section : {"dataset", "encoder", "loss"}) {
    table.tables[section].values["name"] = Value{text_setting(config, section, "name"), {}};
  }
  const auto settings = read_run_settings(table);
  read_train_options(table.tables["train"]);
  read_augment_options(table.tables["augment"]);
  read_eval_options(table.tables["eval"]);
  read_report_options(table.tables["report"]);
  try_to_complete([&] {
    complete_dataset_table(table.tables["dataset"], {.seed = static_cast<uint64_t>(settings.seed)});
  });
  try_to_complete([&] { complete_encoder_table(table.tables["encoder"]); });
  try_to_complete([&] { complete_loss_table(table.tables["loss"]); });
  for (const auto* key : {"threads", "version", "data_root"}) table.values.erase(key);
  for (const auto* section : {"dataset", "encoder", "loss"}) {
    table.tables[section].values.erase("name");
  }
  table.tables.erase("input");
  return table;
}

}  // namespace

const Table& StandardSettings::of(const Table& config) {
  std::string names;
  for (const auto* section : {"dataset", "encoder", "loss"}) {
    names += text_setting(config, section, "name") + "\n";
  }
  const auto found = known_.find(names);
  if (found != known_.end()) return found->second;
  return known_.emplace(names, standard_for(config)).first->second;
}

}  // namespace projnce
