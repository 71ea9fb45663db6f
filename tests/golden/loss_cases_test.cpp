#include "projnce/golden/loss_cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "projnce/core/error.h"

namespace projnce::golden {
namespace {

using nlohmann::json;

json read_json(const std::string& path) {
  std::ifstream in(path);
  EXPECT_TRUE(in) << path;
  return json::parse(in);
}

/// Files of cases in tests/golden: one for each kind, and further cases of some kinds.
std::vector<std::string> golden_files() {
  auto files = loss_case_kinds();
  files.emplace_back("projnce_perp_instance");
  return files;
}

/// Checks all files of cases in tests/golden in both precisions.
class GoldenTest : public ::testing::TestWithParam<std::string> {
 protected:
  void expect_all_pass(torch::Dtype dtype) {
    const auto file = read_json("golden/" + GetParam() + ".json");
    for (const auto& error : check_loss_cases(file, evaluate_loss_cases(file, dtype), dtype)) {
      EXPECT_TRUE(error.passed()) << error.id << " " << error.field << " is off by " << error.error
                                  << ", allowed: " << error.allowed;
    }
  }
};

TEST_P(GoldenTest, HoldsInFloat64) {
  expect_all_pass(torch::kFloat64);
}

TEST_P(GoldenTest, HoldsInFloat32) {
  expect_all_pass(torch::kFloat32);
}

INSTANTIATE_TEST_SUITE_P(LossCases, GoldenTest, ::testing::ValuesIn(golden_files()),
                         [](const auto& test) { return test.param; });

json supcon_file() {
  return json::parse(R"({"format": 1, "loss": "supcon", "cases": [{
      "id": "first", "params": {"tau": 0.5, "variant": "out", "base_tau": null},
      "inputs": {"z": [[1, 0], [0.6, 0.8], [0, 1]], "labels": [0, 0, 4]},
      "expected": {"loss": 0, "grad_z": null}}]})");
}

/// Error message and hint of evaluating the file after `change`.
std::string error_after(const std::function<void(json& file)>& change) {
  auto file = supcon_file();
  change(file);
  try {
    evaluate_loss_cases(file, torch::kFloat64);
  } catch (const Error& error) {
    return concat(error.what(), " ", error.hint());
  }
  return "nothing was wrong";
}

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(LossCases, ResultsNameTheCaseAndItsFields) {
  const auto results = evaluate_loss_cases(supcon_file(), torch::kFloat64);
  const auto& result = results.at("cases").at(0);
  EXPECT_EQ(result.at("id"), "first");
  EXPECT_TRUE(result.at("loss").is_number_float());
  EXPECT_EQ(result.at("grad_z").size(), 3U);
}

TEST(LossCases, JsonKeepsFullPrecision) {
  const auto results = evaluate_loss_cases(supcon_file(), torch::kFloat64);
  EXPECT_EQ(json::parse(results.dump()), results);
}

TEST(LossCases, CheckReportsErrors) {
  auto file = supcon_file();
  const auto results = evaluate_loss_cases(file, torch::kFloat64);
  auto errors = check_loss_cases(file, results, torch::kFloat64);
  ASSERT_EQ(errors.size(), 1U);  // null is not compared
  EXPECT_FALSE(errors[0].passed());
  file["cases"][0]["expected"] = results["cases"][0];
  file["cases"][0]["expected"].erase("id");
  for (const auto& error : check_loss_cases(file, results, torch::kFloat64)) {
    EXPECT_TRUE(error.passed()) << error.field;
  }
  file["cases"][0]["expected"]["grad_z"].erase(0);
  file["cases"][0]["expected"]["unheard_of"] = 1;
  int failed = 0;
  for (const auto& error : check_loss_cases(file, results, torch::kFloat64))
    failed += !error.passed();
  EXPECT_EQ(failed, 2);
  file["cases"][0]["f64_only"] = true;
  EXPECT_TRUE(check_loss_cases(file, results, torch::kFloat32).empty());
  file["cases"][0]["tol"] = 3;
  EXPECT_THROW(check_loss_cases(file, results, torch::kFloat64), Error);
}

TEST(LossCases, ErrorsOfMalformedFilesNameCaseAndField) {
  const auto in_case = [](const std::string& field, const json& value) {
    return error_after([&](json& file) { file["cases"][0]["inputs"][field] = value; });
  };
  const auto with_param = [](const std::string& key, const json& value) {
    return error_after([&](json& file) { file["cases"][0]["params"][key] = value; });
  };
  EXPECT_THAT(in_case("z", json::array({{1, 0}, {1}})),
              AllOf(HasSubstr("case first: inputs.z[1] has 1 number"), HasSubstr("expected 2")));
  EXPECT_THAT(in_case("z", json::array({{1, "a"}})), HasSubstr("case first: inputs.z[0]"));
  EXPECT_THAT(in_case("z", 3), HasSubstr("case first: inputs.z"));
  EXPECT_THAT(in_case("z", json::array()), HasSubstr("at least one row"));
  EXPECT_THAT(in_case("z", json::array({json::array()})), HasSubstr("inputs.z[0]"));
  EXPECT_THAT(in_case("labels", {1, 2}), HasSubstr("inputs.labels has 2 entries, expected 3"));
  EXPECT_THAT(in_case("labels", {1, 2.5, 3}), HasSubstr("64-bit integer"));
  EXPECT_THAT(in_case("labels", {1, 2, 18446744073709551615ULL}), HasSubstr("64-bit integer"));
  EXPECT_THAT(with_param("tau", -1), AllOf(HasSubstr("case first"), HasSubstr("params.tau")));
  EXPECT_THAT(with_param("tau", "x"), AllOf(HasSubstr("case first"), HasSubstr("params.tau")));
  EXPECT_THAT(with_param("tau", nullptr), HasSubstr("params.tau is missing"));
  EXPECT_THAT(with_param("variant", "outt"), AllOf(HasSubstr("outt"), HasSubstr("out, in")));
  EXPECT_THAT(with_param("variannt", "out"), AllOf(HasSubstr("case first"), HasSubstr("variannt")));
  EXPECT_THAT(with_param("variant", json::array()), HasSubstr("params.variant"));
  EXPECT_THAT(error_after([](json& file) { file["cases"][0]["inputs"].erase("z"); }),
              HasSubstr("case first: inputs.z is missing"));
  EXPECT_THAT(error_after([](json& file) { file["cases"][0].erase("params"); }),
              HasSubstr("case first: params is missing"));
  EXPECT_THAT(error_after([](json& file) { file["cases"][0] = 5; }), HasSubstr("case number 0"));
  EXPECT_THAT(error_after([](json& file) { file["loss"] = "supkon"; }),
              AllOf(HasSubstr("supkon"), HasSubstr("supcon")));
  EXPECT_THAT(error_after([](json& file) { file["format"] = 2; }), HasSubstr("format"));
  EXPECT_THAT(error_after([](json& file) { file.erase("cases"); }), HasSubstr("cases"));
  EXPECT_THAT(error_after([](json& file) { file = json::array(); }), HasSubstr("object"));
}

TEST(LossCases, RejectsTooManyClasses) {
  const auto message = error_after([](json& file) {
    file["loss"] = "projnce_med";
    file["cases"][0]["params"] = {{"tau", 0.5}, {"num_classes", 1000000000000}};
  });
  EXPECT_THAT(message, AllOf(HasSubstr("case first"), HasSubstr("params.num_classes")));
}

}  // namespace
}  // namespace projnce::golden
