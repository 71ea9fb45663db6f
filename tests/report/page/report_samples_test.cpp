#include "projnce/report/page/report_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "projnce/io/filesystem/regular_file.h"
#include "projnce/io/tensor/safetensors_file.h"
#include "tests/support/error_message.h"
#include "tests/support/files.h"
#include "tests/support/scratch_dir.h"

namespace projnce::report {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

MappedSamples three_points() {
  MappedSamples part;
  part.total = 9;
  part.how = "by hand";
  part.positions = {0, 0, 4, 0, 0, 2};
  part.indices = {2, 5, 7};
  part.labels = {0, 1, 1};
  part.predicted = {0, 0, 1};
  part.similarity = {0.0F, 0.5F, 1.0F};
  return part;
}

ReportSamples small_page() {
  ReportSamples page;
  page.class_names = {"<script>", "cat"};
  page.protocol = "nearest-centroid";
  page.confusion = {1, 0, 1, 1};
  page.test = three_points();
  page.train = three_points();
  page.train->truth = {1, 1, 1};
  page.train->audit_score = {0.9F, 0.1F, 0.2F};
  page.train->suggested = {1, 1, 1};
  page.train->names = {"a/1.png", "a/2.png", "b/\\x0a.png"};
  page.train->images = {.side = 16, .columns = 3, .per_sheet = 1024, .sheets = {{1, 2, 3}}};
  page.audit = {{"flagged", 1}};
  page.notes = {"Map: too few samples."};
  return page;
}

class PageSamplesTest : public ::testing::Test {
 protected:
  ReportSamples through_file(const ReportSamples& page) {
    write_report_samples(file_, page);
    return read_report_samples(file_);
  }
  std::string read_error_of(const ReportSamples& page) {
    return testing::error_message_of([&] { through_file(page); });
  }
  testing::ScratchDir scratch_;
  std::filesystem::path file_ = scratch_ / "samples.safetensors";
};

TEST_F(PageSamplesTest, RoundTripsClips) {
  auto page = small_page();
  EXPECT_TRUE(through_file(page).clips.empty());
  page.clips = {{.wav = {1, 2, 3}, .seconds = 1.5, .whole_seconds = 4}, {}};
  const auto back = through_file(page).clips;
  ASSERT_EQ(back.size(), 2U);
  EXPECT_EQ(back[0].wav, page.clips[0].wav);
  EXPECT_EQ(back[0].whole_seconds, 4);
  EXPECT_TRUE(back[1].wav.empty());
  const auto packed = pack_excerpts(back);
  EXPECT_EQ(packed[0]["wav"], "AQID");
  EXPECT_TRUE(packed[1].is_null());
}

/// Replaces the first occurrence of `present`, if any, by `former`.
std::string with_former_name(std::string text, const std::string& present,
                             const std::string& former) {
  const auto begin = text.find(present);
  return begin == std::string::npos ? text : text.replace(begin, present.size(), former);
}

/// Rewrites the file with the names of version 0.1.0.
void use_former_names(const std::filesystem::path& file) {
  const auto bytes = io::read_regular_file(file);
  const auto view = io::parse_safetensors(bytes.span(), io::Integrity::kRequired, file.string());
  std::vector<io::TensorBytes> tensors;
  for (const auto& tensor : view.header.tensors) {
    const auto name = with_former_name(tensor.name, "audit_score", "suspicion");
    tensors.push_back({.name = with_former_name(name, "clip.", "sound."),
                       .type = tensor.type,
                       .shape = tensor.shape,
                       .data = view.bytes(tensor)});
  }
  auto metadata = view.header.metadata;
  metadata["contents"] = with_former_name(metadata["contents"], "\"clips\"", "\"sounds\"");
  io::write_safetensors(file, tensors, metadata);
}

TEST_F(PageSamplesTest, ReadsFilesOfVersion010) {
  auto page = small_page();
  page.clips = {{.wav = {1, 2, 3}, .seconds = 1.5, .whole_seconds = 4}};
  write_report_samples(file_, page);
  use_former_names(file_);
  EXPECT_THAT(testing::contents(file_), AllOf(HasSubstr("suspicion"), HasSubstr("sound.0")));
  const auto read = read_report_samples(file_);
  EXPECT_EQ(read.train->audit_score, page.train->audit_score);
  EXPECT_TRUE(read.test->audit_score.empty());
  ASSERT_EQ(read.clips.size(), 1U);
  EXPECT_EQ(read.clips[0].wav, page.clips[0].wav);
}

TEST_F(PageSamplesTest, RoundTrips) {
  const auto page = through_file(small_page());
  EXPECT_EQ(page.class_names, small_page().class_names);
  EXPECT_EQ(page.confusion, small_page().confusion);
  EXPECT_EQ(page.audit, small_page().audit);
  EXPECT_EQ(page.notes, small_page().notes);
  EXPECT_EQ(page.train->names, small_page().train->names);
  EXPECT_EQ(page.train->audit_score, small_page().train->audit_score);
  EXPECT_EQ(page.train->images.sheets, small_page().train->images.sheets);
  EXPECT_TRUE(page.test->truth.empty());
  EXPECT_EQ(page.test->total, 9);
}

TEST_F(PageSamplesTest, ReplacesInvalidUtf8InClassNames) {
  auto page = small_page();
  page.class_names[0] = "\xff";
  EXPECT_EQ(through_file(page).class_names[0], "\xEF\xBF\xBD");
}

TEST_F(PageSamplesTest, RejectsInconsistentLists) {
  auto page = small_page();
  page.test->positions.pop_back();
  EXPECT_THAT(read_error_of(page), HasSubstr("values, expected"));
  page = small_page();
  page.train->suggested.clear();
  EXPECT_THAT(read_error_of(page), HasSubstr("values, expected"));
  page = small_page();
  page.test->predicted[1] = 2;
  EXPECT_THAT(read_error_of(page), HasSubstr("label 2, expected 0 to 1"));
  page = small_page();
  page.confusion.push_back(0);
  EXPECT_THAT(read_error_of(page), HasSubstr("confusion matrix has 5 values, expected 2 x 2"));
  page = small_page();
  page.train->images.columns = 0;
  EXPECT_THAT(read_error_of(page), HasSubstr("invalid image sheets"));
}

TEST_F(PageSamplesTest, RejectsCorruptFile) {
  write_report_samples(file_, small_page());
  const auto good = testing::contents(file_);
  for (size_t i = 0; i < good.size(); i += 53) {
    auto bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    std::ofstream(file_, std::ios::binary) << bad;
    EXPECT_NE(testing::error_message_of([&] { read_report_samples(file_); }), "nothing was wrong")
        << i;
  }
}

TEST(PackedSamples, PositionsKeepAspectRatioInSquare) {
  const auto packed = pack_samples(three_points(), 100, true);
  // x: 0, 65535, 0; y: 1/4, 1/4 and 3/4 of the range.
  EXPECT_EQ(packed["x"], "AAD//wAA");
  EXPECT_EQ(packed["y"], "AEAAQP+/");
  EXPECT_EQ(packed["label"], "AAABAAEA");
  EXPECT_EQ(packed["similarity"], "AID/");
  EXPECT_TRUE(packed["truth"].is_null());
  EXPECT_TRUE(packed["names"].is_null());
  EXPECT_EQ(packed["total"], 9);
}

TEST(PackedSamples, SubsamplesEvenlyWithoutImages) {
  const auto page = small_page();
  const auto packed = pack_samples(*page.train, 2, true);
  EXPECT_EQ(packed["count"], 2);
  EXPECT_EQ(packed["names"], "a/1.png\na/2.png");
  EXPECT_TRUE(packed["images"].is_null()) << "image i would belong to another sample";
  EXPECT_EQ(pack_samples(*page.train, 3, true)["images"]["sheets"][0], "AQID");
  EXPECT_TRUE(pack_samples(*page.train, 3, false)["images"].is_null());
}

TEST(PackedSamples, CentersSingleSampleAndNonFinitePositions) {
  MappedSamples part;
  part.positions = {3, 7, NAN, INFINITY};
  part.indices = {0, 1};
  part.labels = part.predicted = {0, 0};
  part.similarity = {NAN, -1};
  const auto packed = pack_samples(part, 100, true);
  EXPECT_EQ(packed["x"], "AIAAgA==") << "the center";
  EXPECT_EQ(packed["similarity"], "AAA=");
}

TEST(PackedSamples, OmitsConfusionMatrixOfVeryManyClasses) {
  ReportSamples page = small_page();
  EXPECT_EQ(pack_confusion(page)["counts"], "AQAAAAAAAAABAAAAAQAAAA==");
  page.class_names.assign(kMostConfusedClasses + 1, "x");
  EXPECT_TRUE(pack_confusion(page).is_null());
}

}  // namespace
}  // namespace projnce::report
