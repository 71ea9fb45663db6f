#include "projnce/config/run_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "projnce/config/run_request.h"
#include "projnce/core/toml.h"
#include "projnce/train/gradient_cache.h"
#include "tests/support/error_message.h"
#include "tests/support/scratch_dir.h"

namespace projnce::config {
namespace {

using ::testing::AllOf;
using testing::error_message_of;
using ::testing::HasSubstr;
using testing::ScratchDir;

std::filesystem::path write_config(const ScratchDir& dir, const std::string& text) {
  std::ofstream(dir / "run.toml") << text;
  return dir / "run.toml";
}

std::string text_of(const Table& table, const std::string& section, const std::string& key) {
  return std::get<std::string>(table.tables.at(section).values.at(key).data);
}

TEST(RunConfig, SettingsOverrideDataWhichOverridesTheFile) {
  const ScratchDir dir;
  const auto path =
      write_config(dir, "[dataset]\nname = 'folder'\nroot = 'a'\n[train]\nepochs = 3");
  const auto table = requested_settings(
      {.config = path, .data = "b", .settings = {"train.epochs=4", "train.epochs=5"}});
  EXPECT_EQ(text_of(table, "dataset", "root"), "b");
  EXPECT_EQ(std::get<int64_t>(table.tables.at("train").values.at("epochs").data), 5);
}

TEST(RunConfig, DataMayBeTheNameOfAKnownDataset) {
  auto table = requested_settings({.data = "fashion-mnist"});
  EXPECT_EQ(text_of(table, "dataset", "name"), "fashion-mnist");
  EXPECT_FALSE(table.tables.at("dataset").values.contains("root"));
  const ScratchDir dir;
  const auto path = write_config(dir, "[dataset]\nname = 'cifar10'\nroot = 'a'");
  table = requested_settings({.config = path, .data = "fashion-mnist"});
  EXPECT_EQ(text_of(table, "dataset", "name"), "fashion-mnist");
  EXPECT_FALSE(table.tables.at("dataset").values.contains("root"));
}

TEST(RunConfig, StoredConfigurationsWithoutASplitRuleUseShuffle) {
  const ScratchDir dir;
  auto table = read_stored_settings(write_config(dir, "[dataset]\ntest_fraction = 0.2"));
  EXPECT_EQ(text_of(table, "dataset", "split"), "shuffle");
  table = read_stored_settings(write_config(dir, "[dataset]\ntest_fraction = 0.2\nsplit = 'hash'"));
  EXPECT_EQ(text_of(table, "dataset", "split"), "hash");
  table = read_stored_settings(write_config(dir, "[dataset]\nname = 'mnist'"));
  EXPECT_FALSE(table.tables.at("dataset").values.contains("split"));
}

TEST(RunConfig, RejectsTyposInAnySectionBeforeDataIsOpened) {
  const ScratchDir dir;
  const auto error_for = [&](const std::string& text) {
    const auto path = write_config(dir, "[dataset]\nname = 'mnist'\n" + text);
    return error_message_of([&] { requested_settings({.config = path}); });
  };
  EXPECT_THAT(error_for("[train]\nepoch = 1"),
              AllOf(HasSubstr("run.toml:4"), HasSubstr("did you mean 'epochs'?")));
  EXPECT_THAT(error_for("[augment]\nview = 1"), HasSubstr("did you mean 'views'?"));
  EXPECT_THAT(error_for("[encoder]\nnam = 'x'"), HasSubstr("did you mean 'name'?"));
  EXPECT_THAT(error_for("[loss]\ntemperatur = 1"), HasSubstr("did you mean 'temperature'?"));
  EXPECT_THAT(error_for("[eval]\nevry = 1"), HasSubstr("did you mean 'every'?"));
  EXPECT_THAT(error_for("[input]\nsize = 1"), HasSubstr("unknown key 'size'"));
  EXPECT_THAT(error_for("[trian]\nepochs = 1"), HasSubstr("did you mean 'train'?"));
  EXPECT_THAT(error_for("[loss]\nname = 'supcn'"), HasSubstr("did you mean 'supcon'?"));
}

TEST(RunConfig, SuggestsTheSectionOfAKey) {
  const auto error_for = [](const std::string& setting) {
    return error_message_of([&] {
      requested_settings({.data = {}, .settings = {"dataset.name=mnist", setting}});
    });
  };
  EXPECT_THAT(error_for("epochs=3"), AllOf(HasSubstr("--set epochs=3: unknown key 'epochs'"),
                                           HasSubstr("did you mean 'train.epochs'?")));
  EXPECT_THAT(error_for("rate=0.1"), HasSubstr("did you mean 'dataset.label_noise.rate'?"));
  EXPECT_THAT(error_for("sed=3"), HasSubstr("did you mean 'seed'?"));
}

TEST(SettingKeys, IncludeEverySectionAndTheTopLevel) {
  const auto keys = setting_keys();
  for (const auto* key : {"seed", "threads", "train.epochs", "loss.name", "loss.temperature",
                          "encoder.name", "dataset.max_train", "augment.views", "eval.every"}) {
    EXPECT_NE(std::find(keys.begin(), keys.end(), key), keys.end()) << key;
  }
}

TEST(SettingKeys, AreFoundByTheirLastPart) {
  EXPECT_EQ(setting_named("batch-size"), "train.batch_size");
  EXPECT_EQ(setting_named("loss"), "loss.name");
  EXPECT_EQ(setting_named("seed"), "seed");
  EXPECT_EQ(setting_named("epoch"), "");
  EXPECT_EQ(nearest_setting("epoch"), "train.epochs");
  EXPECT_EQ(nearest_setting("xylophone"), "");
}

TEST(RunConfig, RejectsARequestWithoutData) {
  EXPECT_THAT(error_message_of([] { requested_settings({}); }), HasSubstr("--data FOLDER"));
}

TEST(RunConfig, AutoConfigDependsOnTheNumberOfSamplesAndKeepsSettings) {
  const testing::ScratchDir photos;
  auto table = requested_settings({.data = photos.path(), .settings = {"train.batch_size=7"}});
  apply_auto_config(table, SampleKind::kImage, 50'000);
  const auto& train = table.tables.at("train").values;
  EXPECT_EQ(std::get<int64_t>(train.at("epochs").data), 10);
  EXPECT_EQ(std::get<int64_t>(train.at("batch_size").data), 7);

  auto small = requested_settings({.data = photos.path()});
  apply_auto_config(small, SampleKind::kImage, 300);
  EXPECT_EQ(std::get<int64_t>(small.tables.at("train").values.at("epochs").data), 100);
  EXPECT_EQ(std::get<int64_t>(small.tables.at("train").values.at("batch_size").data), 75);
}

TEST(RunConfig, AutoConfigUsesTheLossMostRobustToLabelNoise) {
  Table table;
  apply_auto_config(table, SampleKind::kImage, 1000);
  EXPECT_EQ(text_of(table, "loss", "name"), "projnce-mlp");
  EXPECT_EQ(std::get<double>(table.tables.at("loss").values.at("temperature").data), 0.2);
}

TEST(RunConfig, AutoConfigKeepsAChosenLoss) {
  Table table;
  table.tables["loss"].values["name"] = Value{std::string("ce"), {}};
  apply_auto_config(table, SampleKind::kImage, 1000);
  EXPECT_EQ(text_of(table, "loss", "name"), "ce");
  EXPECT_EQ(table.tables.at("loss").values.size(), 1u);
}

TEST(RunConfig, AutoConfigChoosesTheEncoderByTheKindOfSamples) {
  const auto encoder_of = [](SampleKind kind) {
    Table table;
    apply_auto_config(table, kind, 1000);
    return text_of(table, "encoder", "name");
  };
  EXPECT_EQ(encoder_of(SampleKind::kImage), "resnet-small");
  EXPECT_EQ(encoder_of(SampleKind::kSound), "audio-cnn");
  EXPECT_EQ(encoder_of(SampleKind::kVector), "mlp");
}

TEST(RunConfig, EveryValueHasADefault) {
  const auto config = parse_run_config({});
  EXPECT_EQ(config.run.seed, 1);
  EXPECT_EQ(config.dataset.name, "fashion-mnist");
  EXPECT_EQ(config.encoder.name, "resnet18");
  EXPECT_EQ(config.loss.name, "projnce");
  EXPECT_EQ(config.train.epochs, 500);
  EXPECT_EQ(config.augment.views, 2);
  EXPECT_EQ(config.eval.every, 1);
  EXPECT_TRUE(config.report.page);
  EXPECT_EQ(config.input.image_size, std::nullopt);
}

TEST(RunConfig, RoundTrips) {
  for (const std::string text :
       {"", "seed = 9\nthreads = 3\n[input]\nkind = 'image'\nmean = [0.1]\nstd = [1]",
        "[dataset]\nname = 'stl10'\nfold = 3\n[loss]\nname = 'generalized-infonce'\nprojection_pos "
        "= 'perp'\n"
        "[loss.pos]\nbandwidth = 2\n[loss.neg]\ndetach = true",
        "[encoder]\nname = 'audio-cnn'\nwidth = 8\n[input.sound]\nrate = 8000\n"
        "[augment.sound]\ngain_db = 3\n[dataset]\nname = 'esc50'\nmax_corrupt = 3",
        "[loss]\nname = 'joint-projnce'\npreset = 'paper'\nbeta = 2\ntheta = 0.25",
        "[loss]\nname = 'supcon'\nbase_tau = 1\n[dataset]\nname = 'crema-d'\n"
        "test_speakers = ['1001']\n[eval]\nprotocols = ['knn', 'probe']"}) {
    const auto written = to_toml(parse_run_config(parse_toml(text, "run.toml")));
    EXPECT_EQ(to_toml(parse_run_config(parse_toml(written, "config.toml"))), written) << text;
  }
}

TEST(RunConfig, NumbersAreWrittenInTheTypeOfTheirField) {
  const auto written = to_toml(parse_run_config(
      parse_toml("[train]\nlearning_rate = 1\n[dataset]\nmax_corrupt = 5", "run.toml")));
  EXPECT_THAT(written, AllOf(HasSubstr("learning_rate = 1.0\n"), HasSubstr("max_corrupt = '5'\n")));
}

TEST(RunConfig, NoiseUsesTheSeedOfTheRunByDefault) {
  const auto config =
      parse_run_config(parse_toml("seed = 4\n[dataset.label_noise]\nseed = 8", "run.toml"));
  EXPECT_EQ(config.dataset.label_noise.seed, 8u);
  EXPECT_EQ(config.dataset.feature_noise.seed, 4u);
}

TEST(RunConfig, KeepsTheVersionThatStartedTheRun) {
  EXPECT_THAT(to_toml(parse_run_config(parse_toml("version = '0.0.1'", "config.toml"))),
              HasSubstr("version = '0.0.1'\n"));
}

TEST(RunConfig, DoesNotParseAnEncoderChosenByTheData) {
  const auto settings = parse_toml("[encoder]\nwidth = 8\n[dataset]\nname = 'folder'", "run.toml");
  EXPECT_THAT(error_message_of([&] { parse_run_config(settings); }),
              HasSubstr("unknown key 'width'"));
  EXPECT_NO_THROW(parse_run_config(settings, EncoderChoice::kData));
  EXPECT_THAT(error_message_of([&] {
                parse_run_config(parse_toml("encoder = 1", "run.toml"), EncoderChoice::kData);
              }),
              HasSubstr("a section [encoder]"));
}

TEST(RunConfig, NamesOfEarlierVersionsAreReplaced) {
  const ScratchDir dir;
  const auto path = write_config(dir,
                                 "[dataset]\nname = 'stl10'\ntrain_part = 'unlabeled'\n"
                                 "[encoder]\nname = 'mlp'\n"
                                 "[loss]\nname = 'rince'\nlam = 0.5\nempty_pos = 'skip'");
  std::vector<std::string> deprecations;
  const auto requested = requested_settings({.config = path}, &deprecations);
  EXPECT_THAT(deprecations, ::testing::UnorderedElementsAre(
                                "[dataset] train_part is deprecated, use train_split",
                                "[loss] lam is deprecated, use lambda_",
                                "[loss] empty_pos is deprecated, use empty_positives"));
  EXPECT_EQ(text_of(requested, "dataset", "train_split"), "unlabeled");
  EXPECT_EQ(text_of(requested, "loss", "empty_positives"), "skip");
  EXPECT_FALSE(requested.tables.at("loss").values.contains("empty_pos"));
  const auto stored = read_stored_settings(path);
  EXPECT_EQ(to_toml(parse_run_config(stored)), to_toml(parse_run_config(requested)));
}

TEST(RunConfig, DrawsNoRandomNumbersAndBuildsNothing) {
  const auto before = train::random_state();
  for (const auto& encoder : encoder::encoder_names()) {
    for (const auto& loss : loss::loss_names()) {
      Table settings;
      settings.tables["encoder"].values["name"] = Value{encoder, {}};
      settings.tables["loss"].values["name"] = Value{loss, {}};
      to_toml(parse_run_config(settings));
      ASSERT_TRUE(torch::equal(train::random_state(), before)) << encoder << ", " << loss;
    }
  }
}

}  // namespace
}  // namespace projnce::config
