#include "projnce/report/tensorboard/tensorboard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/error_message.h"
#include "tests/support/files.h"
#include "tests/support/scratch_dir.h"

namespace projnce::report {
namespace {

using testing::contents;
using ::testing::ElementsAre;
using testing::error_message_of;
using ::testing::HasSubstr;
using testing::names_in;
using testing::ScratchDir;

const std::vector<float> kRows = {0.5F, 1, -2.25F, 0.1F};
const std::vector<int64_t> kLabels = {1, 0};
const std::vector<int64_t> kPredictions = {1, 1};

TEST(WriteProjector, WritesTensorsMetadataAndConfig) {
  const ScratchDir dir;
  write_projector(dir.path(), {.embeddings = kRows,
                               .dimensions = 2,
                               .labels = kLabels,
                               .predictions = kPredictions,
                               .class_names = {"cat", "dog"},
                               .sample_names = {"a.png", "b.png"}});
  EXPECT_EQ(contents(dir / "projector/tensors.tsv"), "0.5\t1\n-2.25\t0.1\n");
  EXPECT_EQ(contents(dir / "projector/metadata.tsv"),
            "name\tnumber\tlabel\tprediction\tright\n"
            "a.png\t0\tdog\tdog\tyes\n"
            "b.png\t1\tcat\tdog\tno\n");
  EXPECT_EQ(contents(dir / "projector_config.pbtxt"),
            "embeddings {\n"
            "  tensor_name: \"embeddings\"\n"
            "  tensor_shape: 2\n"
            "  tensor_shape: 2\n"
            "  tensor_path: \"projector/tensors.tsv\"\n"
            "  metadata_path: \"projector/metadata.tsv\"\n"
            "}\n");
  EXPECT_THAT(names_in(dir.path()), ElementsAre("projector", "projector_config.pbtxt"));
}

TEST(WriteProjector, RequiresOnlyEmbeddings) {
  const ScratchDir dir;
  write_projector(dir.path(), {.embeddings = kRows, .dimensions = 4});
  EXPECT_EQ(contents(dir / "projector/metadata.tsv"), "name\tnumber\nsample 0\t0\n");
}

TEST(WriteProjector, NamesCannotBreakTheTable) {
  const ScratchDir dir;
  write_projector(dir.path(), {.name = "a\"b\\c\n",
                               .embeddings = kRows,
                               .dimensions = 2,
                               .labels = kLabels,
                               .class_names = {"tab\there", "line\nbreak\r"},
                               .sample_names = {"\xFF", "two words"}});
  EXPECT_EQ(contents(dir / "projector/metadata.tsv"),
            "name\tnumber\tlabel\n"
            "\\xFF\t0\tline\\x0Abreak\\x0D\n"
            "two words\t1\ttab\\x09here\n");
  EXPECT_THAT(contents(dir / "projector_config.pbtxt"),
              HasSubstr("tensor_name: \"a\\\"b\\\\x5Cc\\\\x0A\"\n"));
}

TEST(WriteProjector, UnnamedLabelIsItsNumber) {
  const ScratchDir dir;
  const std::vector<int64_t> labels = {-1, 5};
  write_projector(dir.path(),
                  {.embeddings = kRows, .dimensions = 2, .labels = labels, .class_names = {"a"}});
  EXPECT_THAT(contents(dir / "projector/metadata.tsv"), HasSubstr("\t0\t-1\nsample 1\t1\t5\n"));
}

TEST(WriteProjector, RejectsDifferentLengths) {
  const ScratchDir dir;
  const auto error_of = [&](const EmbeddingTable& table) {
    return error_message_of([&] { write_projector(dir.path(), table); });
  };
  EXPECT_THAT(error_of({.embeddings = kRows, .dimensions = 3}), HasSubstr("multiple of 3"));
  EXPECT_THAT(error_of({.embeddings = kRows, .dimensions = 0}), HasSubstr("multiple of 0"));
  EXPECT_THAT(error_of({.embeddings = kRows, .dimensions = 4, .labels = kLabels}),
              HasSubstr("2 labels, expected 1"));
  EXPECT_THAT(error_of({.embeddings = kRows, .dimensions = 2, .sample_names = {"a"}}),
              HasSubstr("1 names, expected 2"));
  EXPECT_TRUE(names_in(dir.path()).empty());
}

}  // namespace
}  // namespace projnce::report
