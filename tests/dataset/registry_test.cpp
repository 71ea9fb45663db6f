#include "projnce/dataset/open_dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "projnce/core/table_writer.h"
#include "projnce/core/toml.h"
#include "projnce/dataset/labels.h"
#include "tests/support/data_files.h"
#include "tests/support/decoded_image.h"
#include "tests/support/error_message.h"
#include "tests/support/scratch_dir.h"

namespace projnce::dataset {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class DatasetRegistryTest : public ::testing::Test {
 protected:
  void add(const std::string& file, const testing::Bytes& color) {
    testing::write_file(dir_.path() / file, testing::encode_png(testing::plain_image(2, 2, color)));
  }

  /// A folder of two classes with `count` gray images each.
  void add_classes(int count) {
    for (int i = 0; i < count; ++i) {
      add(concat("cat/", i, ".png"), {static_cast<uint8_t>(i)});
      add(concat("dog/", i, ".png"), {static_cast<uint8_t>(i)});
    }
  }

  /// Shuffled split: an exact number of samples per class.
  Table folder_table(const std::string& more = {}) {
    return parse_toml(
        concat("name = 'folder'\nsplit = 'shuffle'\nroot = '", dir_.path().native(), "'\n", more),
        "run.toml");
  }

  OpenedDataset open(const std::string& more = {}) {
    return open_dataset(parse_dataset_options(folder_table(more), 1), {.seed = 1, .threads = 2});
  }

  std::string error_with(const std::string& more) {
    return testing::error_message_of([&] { open(more); });
  }

  testing::ScratchDir dir_;
};

TEST_F(DatasetRegistryTest, OpensAFolder) {
  add_classes(10);
  const auto options = parse_dataset_options(folder_table(), 7);
  const auto opened = open_dataset(options, {.seed = 7});
  EXPECT_EQ(opened.train->size(), 16);
  EXPECT_EQ(opened.test->size(), 4);
  EXPECT_EQ(opened.root, dir_.path());
  EXPECT_EQ(opened.skipped_train, 0);
  EXPECT_TRUE(opened.clean_train_labels.empty());
  EXPECT_THAT(to_toml(to_table(options)),
              AllOf(HasSubstr("split = 'shuffle'"), HasSubstr("test_fraction = 0.2"),
                    HasSubstr("max_train = 0"), HasSubstr("strict = false"), HasSubstr("seed = 7"),
                    HasSubstr("rate = 0.0")));
}

TEST_F(DatasetRegistryTest, OptionsRoundTrip) {
  for (const auto& name : dataset_names()) {
    const auto written = to_toml(to_table(dataset_options(name)));
    EXPECT_EQ(to_toml(to_table(parse_dataset_options(parse_toml(written, "run.toml")))), written);
  }
  EXPECT_THAT(to_toml(to_table(dataset_options("folder"))),
              AllOf(HasSubstr("split = 'hash'"), HasSubstr("split_seed = 0")));
  EXPECT_THAT(to_toml(to_table(dataset_options("stl10"))), HasSubstr("fold = -1"));
  const auto own_seed = parse_dataset_options(parse_toml("[label_noise]\nseed = 3", "run.toml"), 7);
  EXPECT_EQ(own_seed.label_noise.seed, 3u);
  EXPECT_EQ(own_seed.feature_noise.seed, 7u);
}

TEST_F(DatasetRegistryTest, CorruptLimitRoundTrips) {
  const auto written = [](const std::string& text) {
    return parse_dataset_options(parse_toml(text, "run.toml")).max_corrupt;
  };
  EXPECT_EQ(written(""), "auto");
  EXPECT_EQ(written("max_corrupt = 3"), "3");
  EXPECT_EQ(written("max_corrupt = '0.12345678%'"), "0.12345678%");
  EXPECT_THAT(testing::error_message_of([&] { written("max_corrupt = true"); }),
              HasSubstr("max_corrupt"));
  EXPECT_THAT(testing::error_message_of([&] { written("max_corrupt = 'many'"); }),
              HasSubstr("[dataset] max_corrupt = 'many'"));
}

TEST_F(DatasetRegistryTest, LimitsSplitsToStratifiedSubsets) {
  add_classes(10);
  const auto opened = open("max_train = 6\nmax_test = 2");
  EXPECT_THAT(class_counts(*opened.train), ElementsAre(3, 3));
  EXPECT_THAT(class_counts(*opened.test), ElementsAre(1, 1));
  EXPECT_EQ(open("max_train = 600").train->size(), 16);
  EXPECT_THAT(error_with("max_train = 1"), HasSubstr("max_train = 1 is too small"));
}

TEST_F(DatasetRegistryTest, AddsLabelNoiseAndKeepsTheCleanLabels) {
  add_classes(10);
  const auto clean = labels_of(*open().train);
  const auto opened = open("[label_noise]\nrate = 1.0");
  EXPECT_EQ(opened.clean_train_labels, clean);
  for (int64_t i = 0; i < opened.train->size(); ++i) {
    EXPECT_EQ(opened.train->label(i), 1 - clean[static_cast<size_t>(i)]);
  }
  EXPECT_THAT(class_counts(*opened.test), ElementsAre(2, 2)) << "the test labels stay clean";
}

TEST_F(DatasetRegistryTest, OneColorImageGivesAllThreeChannels) {
  add_classes(10);
  EXPECT_EQ(testing::decoded_image(*open().train, 0).channels, 1);
  add("cat/color.png", {1, 2, 3});
  const auto opened = open();
  for (const auto& part : {opened.train, opened.test}) {
    for (int64_t i = 0; i < part->size(); ++i)
      EXPECT_EQ(testing::decoded_image(*part, i).channels, 3);
  }
}

TEST_F(DatasetRegistryTest, SkipsAndCountsAFewCorruptSamples) {
  add_classes(110);
  testing::write_file(dir_.path() / "cat/zero.png", {});
  const auto opened = open();
  EXPECT_EQ(opened.skipped_train + opened.skipped_test, 1);
  EXPECT_EQ(opened.train->size() + opened.test->size(), 220);
  EXPECT_THAT(error_with("strict = true"), HasSubstr("cat/zero.png is empty"));
}

TEST_F(DatasetRegistryTest, RejectsManyCorruptSamplesUnlessUnchecked) {
  add_classes(10);
  for (int i = 0; i < 6; ++i) testing::write_file(dir_.path() / concat("cat/zero", i, ".png"), {});
  EXPECT_THAT(error_with(""), HasSubstr("expected at most 1 % or 5 files"));
  EXPECT_THAT(error_with("max_corrupt = 5"), HasSubstr("expected at most 5:"));
  EXPECT_EQ(open("max_corrupt = '30%'").skipped_train + open("max_corrupt = 6").skipped_test, 6);
  const auto split = open_unchecked_dataset(parse_dataset_options(folder_table()), {});
  EXPECT_EQ(split.train->size() + split.test->size(), 26);
}

TEST_F(DatasetRegistryTest, RejectsUnknownNamesAndKeys) {
  add_classes(2);
  EXPECT_THAT(error_with("max_trian = 3"),
              AllOf(HasSubstr("run.toml:4: unknown key 'max_trian' in [dataset]"),
                    HasSubstr("did you mean 'max_train'?")));
  EXPECT_THAT(error_with("[label_noise]\nmode = 'uniform'"), HasSubstr("not one of"));
  EXPECT_THAT(error_with("[label_noise]\np = 0.1"), HasSubstr("unknown key 'p'"));
  EXPECT_THAT(error_with("test_fraction = 0"), HasSubstr("test_fraction = 0 is out of range"));
  const auto error_about = [](const std::string& text) {
    return testing::error_message_of(
        [&] { open_dataset(parse_dataset_options(parse_toml(text, "run.toml")), {}); });
  };
  EXPECT_THAT(error_about("name = 'fashion_mnist'"),
              AllOf(HasSubstr("unknown dataset 'fashion_mnist'"),
                    HasSubstr("did you mean 'fashion-mnist'?")));
  EXPECT_THAT(error_about("name = 'mnist'\ntest_fraction = 0.1"),
              HasSubstr("unknown key 'test_fraction'"))
      << "MNIST has an official test split";
}

TEST_F(DatasetRegistryTest, TriesSearchPathsInOrder) {
  OpenContext context;
  context.data_root = dir_.path() / "data";
  context.cache_home = dir_.path() / "cache";
  EXPECT_THAT(
      dataset_search_paths("fashion-mnist", context),
      ElementsAre(dir_.path() / "data/fashion-mnist", dir_.path() / "cache/projnce/fashion-mnist",
                  "/usr/share/datasets/fashion-mnist"));
  const auto options = dataset_options("mnist");
  EXPECT_THAT(testing::error_message_of([&] { open_dataset(options, context); }),
              AllOf(HasSubstr("dataset mnist not found"), HasSubstr("cache/projnce/mnist"),
                    HasSubstr("set dataset.root")));

  const auto root = dir_.path() / "cache/projnce/mnist";
  for (const std::string part : {"train", "t10k"}) {
    testing::write_file(root / (part + "-images-idx3-ubyte"),
                        testing::encode_idx({2, 1, 1}, {3, 4}));
    testing::write_file(root / (part + "-labels-idx1-ubyte"), testing::encode_idx({2}, {5, 6}));
  }
  const auto opened = open_dataset(options, context);
  EXPECT_EQ(opened.root, root);
  EXPECT_THAT(labels_of(*opened.train), ElementsAre(5, 6));
}

/// The six files of CIFAR-10 with one record each.
void add_cifar10(const std::filesystem::path& root) {
  for (const std::string file : {"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4",
                                 "data_batch_5", "test_batch"}) {
    testing::Bytes record(3073);
    record[0] = file == "data_batch_1" ? 1 : 0;  // the label
    testing::write_file(root / (file + ".bin"), record);
  }
}

TEST_F(DatasetRegistryTest, FindsFoldersAndArchivesByOfficialName) {
  OpenContext context;
  context.data_root = dir_.path();
  EXPECT_THAT(dataset_search_paths("cifar10", context),
              ElementsAre(dir_.path() / "cifar10", dir_.path() / "cifar-10-batches-bin",
                          dir_.path() / "cifar-10-binary.tar.gz"));
  const auto options = dataset_options("cifar10");
  add_cifar10(dir_.path() / "elsewhere/cifar-10-batches-bin");
  const auto archive = dir_.path() / "cifar-10-binary.tar.gz";
  const auto command = concat("tar czf ", archive.native(), " -C ",
                              (dir_.path() / "elsewhere").native(), " cifar-10-batches-bin");
  ASSERT_EQ(std::system(command.c_str()), 0);
  auto opened = open_dataset(options, context);
  EXPECT_EQ(opened.root, archive);
  EXPECT_EQ(opened.train->size(), 5);
  EXPECT_THAT(opened.remarks, Contains("a subset: 5 of the official 50000 training samples"));
  EXPECT_THAT(opened.remarks, Contains("a subset: 1 of the official 10000 test samples"));

  std::filesystem::create_directory(dir_.path() / "cifar10");
  std::filesystem::rename(archive, dir_.path() / "cifar10/cifar-10-binary.tar.gz");
  opened = open_dataset(options, context);
  EXPECT_EQ(opened.root, dir_.path() / "cifar10");
  EXPECT_EQ(opened.train->size(), 5) << "the archive in the folder";
}

TEST_F(DatasetRegistryTest, RecognizesLayouts) {
  add_classes(2);
  EXPECT_EQ(recognize_dataset(dir_.path()), std::nullopt);
  testing::write_file(dir_.path() / "x.npy", {});
  EXPECT_EQ(recognize_dataset(dir_.path() / "x.npy"), "embeddings");
  add_cifar10(dir_.path() / "cifar-10-batches-bin");
  EXPECT_EQ(recognize_dataset(dir_.path()), "cifar10");
  EXPECT_EQ(recognize_dataset(dir_.path() / "cifar-10-batches-bin"), "cifar10");

  const auto fashion = dir_.path() / "fashion";
  testing::write_file(fashion / "t10k-images-idx3-ubyte.gz", {});
  EXPECT_EQ(recognize_dataset(fashion), "fashion-mnist");
  const auto digits = dir_.path() / "digits";
  testing::write_file(digits / "t10k-images-idx3-ubyte", {});
  EXPECT_EQ(recognize_dataset(digits), "mnist");
}

TEST_F(DatasetRegistryTest, RejectsFieldsOfOtherDatasets) {
  const auto error_about = [&](const std::string& text) {
    return testing::error_message_of([&] {
      open_dataset(parse_dataset_options(parse_toml(text, "run.toml")), {.data_root = dir_.path()});
    });
  };
  EXPECT_THAT(error_about("name = 'cifar10'\ncoarse = true"), HasSubstr("unknown key 'coarse'"));
  EXPECT_THAT(error_about("name = 'stl10'\nfold = 10"), HasSubstr("fold = 10 is out of range"));
  EXPECT_THAT(error_about("name = 'esc50'\nfold = 0"), HasSubstr("fold = 0 is out of range"));
  EXPECT_THAT(error_about("name = 'stl10'\ntrain_split = 'all'"), HasSubstr("not one of"));
  EXPECT_THAT(error_about("name = 'crema-d'\ntest_speakers = [1001]"),
              HasSubstr("a quoted string"));
}

TEST_F(DatasetRegistryTest, ReportsMissingRoot) {
  auto options = dataset_options("folder");
  options.root = "/no/such";
  EXPECT_THAT(testing::error_message_of([&] { open_dataset(options, {}); }),
              HasSubstr("there is no folder /no/such"));
}

TEST_F(DatasetRegistryTest, FolderRequiresARoot) {
  EXPECT_THAT(testing::error_message_of([&] { open_dataset(dataset_options("folder"), {}); }),
              AllOf(HasSubstr("dataset folder"), HasSubstr("set dataset.root")));
}

TEST_F(DatasetRegistryTest, DescribesEveryDataset) {
  EXPECT_THAT(dataset_names(),
              ElementsAre("caltech256", "cifar10", "cifar100", "crema-d", "embeddings", "esc50",
                          "fashion-mnist", "folder", "food101", "imagenet", "mnist",
                          "speech-commands", "stl10", "table", "tiny-imagenet"));
  for (const auto& description : describe_datasets()) {
    EXPECT_FALSE(description.summary.empty());
    EXPECT_FALSE(description.source.empty());
  }
}

}  // namespace
}  // namespace projnce::dataset
