#include "projnce/dataset/dataset_options.h"

#include "projnce/core/table_reader.h"
#include "projnce/dataset/registry.h"
#include "projnce/dataset/wrappers/checked_dataset.h"

namespace projnce::dataset {

namespace {

constexpr Range kTestFraction = {.low = 0, .high = 0.9, .low_open = true};
constexpr Range kPositiveFraction = {.low = 0, .high = 1, .low_open = true};

void list_fields(NoLayoutOptions& /*options*/, FieldVisitor& /*fields*/) {}

void list_fields(HoldOut& options, FieldVisitor& fields) {
  auto seed = static_cast<int64_t>(options.seed);
  fields.field("test_fraction", options.test_fraction, kTestFraction)
      .choice("split", options.rule, split_rules())
      .field("split_seed", seed, at_least(0));
  options.seed = static_cast<uint64_t>(seed);
}

void list_fields(Caltech256Options& options, FieldVisitor& fields) {
  list_fields(options.hold_out, fields);
  fields.field("clutter", options.clutter);
}

void list_fields(Cifar10Options& options, FieldVisitor& fields) {
  fields.field("coarse_training", options.coarse_training);
}

void list_fields(Cifar100Options& options, FieldVisitor& fields) {
  fields.field("coarse", options.coarse).field("coarse_training", options.coarse_training);
}

void list_fields(CremaDOptions& options, FieldVisitor& fields) {
  list_fields(options.hold_out, fields);
  fields.field("test_speakers", options.test_speakers);
}

void list_fields(Esc50Options& options, FieldVisitor& fields) {
  fields.field("fold", options.fold, between(1, 5));
}

void list_fields(SpeechCommandsOptions& options, FieldVisitor& fields) {
  fields.renamed("judge_by", "evaluate_on")
      .choice(
          "evaluate_on", options.evaluate_on,
          {{"test", SpeechCommandsTest::kTest}, {"validation", SpeechCommandsTest::kValidation}})
      .field("lists", options.lists);
}

void list_fields(Stl10Options& options, FieldVisitor& fields) {
  fields.renamed("train_part", "train_split")
      .choice("train_split", options.train_split,
              {{"train", Stl10Train::kTrain},
               {"unlabeled", Stl10Train::kUnlabeled},
               {"train+unlabeled", Stl10Train::kTrainAndUnlabeled}})
      .field("fold", options.fold, between(-1, 9));
}

void list_fields(TableOptions& options, FieldVisitor& fields) {
  list_fields(options.hold_out, fields);
  auto& columns = options.columns;
  fields.field("label", columns.label)
      .field("votes", columns.votes)
      .field("image", columns.image)
      .field("audio", columns.audio)
      .field("id", columns.id)
      .field("split_column", columns.split)
      .field("feature_columns", columns.embedding)
      .field("embeddings", options.embeddings);
}

}  // namespace

void list_fields(LabelNoiseOptions& options, FieldVisitor& fields) {
  fields.choice("mode", options.mode, label_noise_modes())
      .field("rate", options.rate, between(0, 1))
      .field("seed", options.seed);
}

void list_fields(FeatureNoiseOptions& options, FieldVisitor& fields) {
  fields.field("deviation", options.deviation, between(0, 1000))
      .field("clip", options.clip)
      .field("test", options.test)
      .field("seed", options.seed);
}

void list_fields(DatasetOptions& options, FieldVisitor& fields) {
  const auto before = options.name;
  fields.field("name", options.name);
  if (options.name != before) options.layout = dataset_entry(options.name).layout;
  fields.field("root", options.root);
  std::visit([&fields](auto& layout) { list_fields(layout, fields); }, options.layout);
  fields.field("corrections", options.corrections)
      .field("max_train", options.max_train, at_least(0))
      .field("max_test", options.max_test, at_least(0))
      .field("label_fraction", options.label_fraction, kPositiveFraction)
      .field("imbalance", options.imbalance, kPositiveFraction)
      .field("strict", options.strict)
      .field("memory_mb", options.memory_mb, between(0, 1 << 24))
      .text_or_count("max_corrupt", options.max_corrupt)
      .section("label_noise", options.label_noise)
      .section("feature_noise", options.feature_noise)
      .check([&options] { parse_corrupt_limit(options.max_corrupt, "[dataset] max_corrupt"); });
}

DatasetOptions dataset_options(const std::string& name) {
  DatasetOptions options;
  options.name = name;
  options.layout = dataset_entry(name).layout;
  return options;
}

void seed_noise(DatasetOptions& options, uint64_t seed) {
  options.label_noise.seed = seed;
  options.feature_noise.seed = seed;
}

DatasetOptions parse_dataset_options(const Table& table, uint64_t seed) {
  DatasetOptions options;
  seed_noise(options, seed);
  return read_options(table, "dataset", options);
}

}  // namespace projnce::dataset
