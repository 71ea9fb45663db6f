#include "projnce/report/terminal/terminal_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/support/run_folder.h"
#include "tests/support/scratch_dir.h"

namespace projnce::report {
namespace {

using nlohmann::ordered_json;
using ::testing::AllOf;
using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::ScratchDir;
using testing::write_text;

ordered_json summary() {
  return ordered_json::parse(R"({
    "run": "runs/a", "protocol": "nearest-centroid",
    "accuracy": {"last": 0.7452, "best": 0.75, "best_epoch": 7},
    "protocols": {"nearest-centroid": {"top1": 0.7452, "top1_interval": [0.733, 0.7572]},
                  "probe": {"top1": 1.0, "top1_interval": [0.99, 1.0]}},
    "information": {"mixed_ksg": 1.7728, "label_entropy": 2.3026},
    "images_per_second": 2136.03,
    "seconds": {"train": 20.0, "waiting_for_data": 1.0, "total": 23.3}})");
}

const std::vector<SummaryCurve> kCurves = {
    {.name = "loss", .values = {5.5, 5.25, 5}, .unit = ""},
    {.name = "top1", .values = {60, 70}, .digits = 2, .unit = "%"}};

constexpr TerminalStyle kPlain = {};
constexpr TerminalStyle kUnicode = {.colors = false, .unicode = true, .width = 80};

/// Removes color codes.
std::string without_codes(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\033') {
      i = text.find('m', i);
    } else {
      out += text[i];
    }
  }
  return out;
}

TEST(TerminalSummary, FileHasPlainLines) {
  EXPECT_EQ(terminal_summary(summary(), kCurves, kPlain),
            "accuracy  74.52 % (last epoch), best 75.00 % (epoch 7), by nearest-centroid\n"
            "nearest-centroid 74.52 % (95 % interval 73.30 to 75.72)\n"
            "probe     100.00 % (95 % interval 99.00 to 100.00)\n"
            "loss      5.500 to 5.000\n"
            "top1      60.00 to 70.00 %\n"
            "mixed KSG 1.773 of 2.303 nats (estimate)\n"
            "time      23 s, 2136 samples/s in training, 5.0 % of training spent waiting for data\n"
            "run       runs/a\n");
}

ordered_json delivered(const std::string& more) {
  auto result = summary();
  result["delivered"] = ordered_json::parse(
      R"({"epoch": 8, "epochs": 8, "readout_text": "learned class vectors", "top1": 0.8)" + more +
      "}");
  result["accuracy"]["report"] = "delivered";
  return result;
}

TEST(TerminalSummary, NamesTheDeliveredModel) {
  EXPECT_THAT(terminal_summary(delivered(""), {}, kPlain),
              AllOf(HasSubstr("accuracy  80.00 % by learned class vectors, last epoch (8)\n"),
                    Not(HasSubstr("75.00"))));
  EXPECT_THAT(terminal_summary(delivered(R"(, "validation": {"samples": 50})"), {}, kPlain),
              HasSubstr("80.00 % by learned class vectors, epoch 8 of 8, best on 50 validation "
                        "samples\n"));
}

TEST(TerminalSummary, NamesThePapersRule) {
  auto paper = delivered("");
  paper["accuracy"].update(
      {{"report", "best-test-epoch"}, {"reported", 0.75}, {"reported_epoch", "best"}});
  EXPECT_THAT(terminal_summary(paper, {}, kPlain),
              HasSubstr("\npaper     75.00 % by the paper's rule: best test epoch (7)\n"));
  paper["accuracy"]["reported_epoch"] = "last";
  EXPECT_THAT(terminal_summary(paper, {}, kPlain),
              HasSubstr("last epoch, since the training data"));
}

TEST(TerminalSummary, DrawsCurvesWithUnicode) {
  const auto text = terminal_summary(summary(), kCurves, kUnicode);
  EXPECT_THAT(text, AllOf(HasSubstr("loss             █▅▁  5.500 → 5.000\n"),
                          HasSubstr("top1             ▁█  60.00 → 70.00 %\n"),
                          HasSubstr("nearest-centroid  74.52 % (95"),
                          HasSubstr("probe            100.00 % (95"), Not(HasSubstr("\033"))));
}

TEST(TerminalSummary, AlignsLongProtocolNames) {
  auto with_long_name = summary();
  with_long_name["protocols"]["projection"] = with_long_name["protocols"]["probe"];
  EXPECT_THAT(
      terminal_summary(with_long_name, {}, kUnicode),
      AllOf(HasSubstr("\nnearest-centroid  74.52 %"), HasSubstr("\nprojection       100.00 %"),
            HasSubstr("\nrun              runs/a\n")));
}

TEST(TerminalSummary, ColorsDoNotChangeText) {
  auto style = kUnicode;
  style.colors = true;
  const auto text = terminal_summary(summary(), kCurves, style);
  EXPECT_THAT(text, HasSubstr("\033[1m"));
  EXPECT_EQ(without_codes(text), terminal_summary(summary(), kCurves, kUnicode));
}

TEST(TerminalSummary, HandlesOneEpochAndNoEpochs) {
  const std::vector<SummaryCurve> curves = {{.name = "loss", .values = {2}}, {.name = "bound"}};
  EXPECT_THAT(terminal_summary(summary(), curves, kUnicode),
              AllOf(HasSubstr("loss             ▄  2.000\n"), Not(HasSubstr("bound"))));
  EXPECT_THAT(terminal_summary(summary(), curves, kPlain), HasSubstr("loss      2.000\n"));
}

TEST(TerminalSummary, ShowsNaN) {
  const std::vector<SummaryCurve> curves = {{.name = "loss", .values = {NAN, NAN}}};
  EXPECT_THAT(terminal_summary(summary(), curves, kUnicode),
              HasSubstr("loss             nan → nan\n"));
}

TEST(TerminalSummary, FitsTheTerminal) {
  SummaryCurve curve{.name = "loss"};
  for (int i = 0; i < 10'000; ++i) curve.values.push_back(std::cos(i / 1000.0));
  for (const int width : {20, 50, 80, 400}) {
    auto style = kUnicode;
    style.width = width;
    const auto text = terminal_summary(summary(), {curve}, style);
    size_t blocks = 0;
    const std::string start = "\xE2\x96";  // prefix of every block character
    for (size_t at = text.find(start); at != text.npos; at = text.find(start, at + 1)) ++blocks;
    EXPECT_EQ(blocks, width == 20 ? 8U : width == 50 ? 16U : width == 80 ? 46U : 60U) << width;
  }
}

TEST(TerminalSummary, OmitsMissingInformation) {
  auto without = summary();
  without["information"] = nullptr;
  EXPECT_THAT(terminal_summary(without, {}, kPlain), Not(HasSubstr("mixed KSG")));
}

TEST(TerminalSummary, ShowsCertifiedBoundsWithErrors) {
  auto certified = summary();
  certified["information"]["bounds"] = ordered_json::parse(R"({
    "mi_bound_class_fitted": 1.728, "mi_bound_class_fitted_se": 0.012, "tau_fit": 0.1,
    "mi_bound_class": 1.6, "mi_bound_class_se": 0.01, "rows": 10000, "entropy": 2.3026,
    "mi_bound_normalized": 1.65, "mi_bound_normalized_se": 0.02, "mi_bound": 1.2,
    "mi_bound_se": null})");
  EXPECT_THAT(terminal_summary(certified, {}, kPlain),
              HasSubstr("I(Z;C)    >= 1.73 +- 0.01 nats (class form, fitted temperature, "
                        "10000 held-out rows), H(C) 2.30\n"
                        "pair form >= 1.65 +- 0.02 nats normalized, 1.20 as in ProjNCE\n"));
  EXPECT_THAT(terminal_summary(certified, {}, kUnicode), HasSubstr(">= 1.73 ± 0.01 nats"));
  auto& bounds = certified["information"]["bounds"];
  bounds["mi_bound_class_fitted"] = -0.1;
  EXPECT_THAT(terminal_summary(certified, {}, kPlain), HasSubstr("H(C) 2.30, not informative\n"));
  bounds["mi_bound_normalized"] = -0.2;
  bounds["mi_bound"] = nullptr;
  EXPECT_THAT(terminal_summary(certified, {}, kPlain),
              HasSubstr(">= -0.20 +- 0.02 nats normalized, -inf as in ProjNCE, not informative\n"));
}

TEST(TerminalSummary, OlderRunsHaveNoCertifiedBound) {
  auto older = summary();
  older["information"]["bounds"] = {{"projnce", 4.7}, {"class_vectors", 4.2}};
  EXPECT_THAT(terminal_summary(older, {}, kPlain), Not(HasSubstr("I(Z;C)")));
}

TEST(TerminalSummary, ExplainsMissingEstimate) {
  auto withheld = summary();
  withheld["information"]["mixed_ksg"] = nullptr;
  withheld["information"]["withheld"] = "the smallest class has 1 sample";
  EXPECT_THAT(terminal_summary(withheld, {}, kPlain),
              HasSubstr("mixed KSG no estimate: the smallest class has 1 sample\n"));
}

TEST(TerminalSummary, CountsClassesWithFewTestSamples) {
  auto few = summary();
  few["classes"] = 5;
  few["test_classes"] = {{"with_samples", 4}, {"with_few_samples", 2}, {"few_below", 10}};
  EXPECT_THAT(terminal_summary(few, {}, kPlain),
              HasSubstr("note      2 of 5 classes have fewer than 10 test samples"));
  few["test_classes"]["with_few_samples"] = 0;
  EXPECT_THAT(terminal_summary(few, {}, kPlain), Not(HasSubstr("note")));
}

TEST(TerminalSummary, ShowsPathOfReport) {
  EXPECT_THAT(terminal_summary(summary(), {}, kPlain, "runs/a/report.html"),
              HasSubstr("report    runs/a/report.html\n"));
  EXPECT_THAT(terminal_summary(summary(), {}, kPlain), Not(HasSubstr("report ")));
}

TEST(SummaryCurves, ReadsEpochsAndProtocol) {
  const ScratchDir dir;
  write_text(dir / "metrics.jsonl",
             R"({"step":0,"epoch":0,"split":"train","name":"step","value":{"loss":9}}
{"step":5,"epoch":0,"split":"train","name":"epoch","value":{"loss":3,"mi_bound":7}}
{"step":5,"epoch":0,"split":"test","name":"information","value":{"mi_bound_class_fitted":0.5}}
{"step":5,"epoch":0,"split":"test","name":"nearest-centroid","value":{"top1":0.25}}
{"step":5,"epoch":0,"split":"test","name":"knn","value":{"top1":0.9}}
{"step":9,"epoch":1,"split":"train","name":"epoch","value":{"loss":null,"mi_bound":7}}
{"step":9,"epoch":1,"split":"test","name":"information","value":{"mi_bound_class_fitted":1.5}}
{"step":9,"epoch":1,"split":"test","name":"nearest-centroid","value":{"top1":0.5}}
)");
  const auto curves = summary_curves(dir / "metrics.jsonl", "nearest-centroid");
  ASSERT_EQ(curves.size(), 3U);
  EXPECT_EQ(curves[0].name, "loss");
  EXPECT_THAT(curves[0].values, ElementsAre(3, ::testing::IsNan()));
  EXPECT_EQ(curves[1].name, "bound");
  EXPECT_THAT(curves[1].values, ElementsAre(0.5, 1.5));
  EXPECT_EQ(curves[2].name, "top1");
  EXPECT_THAT(curves[2].values, ElementsAre(DoubleEq(25), DoubleEq(50)));
}

TEST(SummaryCurves, SkipsInvalidLines) {
  const ScratchDir dir;
  write_text(dir / "metrics.jsonl",
             "\n[]\n{\"split\":3,\"name\":[],\"value\":{}}\n{\"value\":1}\n\xFF\n"
             R"({"step":5,"epoch":0,"split":"train","name":"epoch","value":{"loss":"low"}})"
             "\n"
             R"({"step":5,"epoch":0,"split":"test","name":"nearest-centroid","value":{"top1":0.5}})"
             "\n{\"split\":\"tra");
  const auto curves = summary_curves(dir / "metrics.jsonl", "nearest-centroid");
  ASSERT_EQ(curves.size(), 1U) << "a single accuracy is not a curve";
  EXPECT_THAT(curves[0].values, ElementsAre(::testing::IsNan()));
  EXPECT_THAT(summary_curves(dir / "nothing", "nearest-centroid"), IsEmpty());
}

}  // namespace
}  // namespace projnce::report
