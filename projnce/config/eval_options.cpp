#include "projnce/config/eval_options.h"

#include "projnce/core/error.h"
#include "projnce/eval/protocol.h"

namespace projnce::config {

namespace {

void check_readout(const std::string& readout) {
  if (readout == "all") {
    fail(Hint{"use 'auto' to choose one, or eval.final_protocols = ['all'] to evaluate all"},
         "[eval] readout = 'all' names several readouts, expected one");
  }
  if (readout != "auto" && readout != "paper") eval::protocol_by_name(readout);
}

}  // namespace

void list_fields(EvalOptions& options, FieldVisitor& fields) {
  const FormerNames former_protocols = {{eval::kZeroShotName, "nearest-centroid"}};
  fields.field("every", options.every, at_least(1))
      .field("centroid_samples", options.centroid_samples, at_least(0))
      .field("batch_size", options.batch_size, between(1, 1 << 20))
      .field("readout", options.readout, former_protocols)
      .choice(
          "report", options.report,
          {{"delivered", EvalReport::kDelivered}, {"best-test-epoch", EvalReport::kBestTestEpoch}})
      .field("protocols", options.protocols, former_protocols)
      .field("final_protocols", options.final_protocols, former_protocols)
      .field("knn_neighbors", options.knn.neighbors, at_least(0))
      .field("knn_temperature", options.knn.temperature, above(0))
      .check([&options] { check_readout(options.readout); });
}

void set_paper_rule(Table& eval) {
  eval.values.try_emplace("readout", Value{std::string("paper"), {}});
  eval.values.try_emplace("report", Value{std::string("best-test-epoch"), {}});
}

void complete_earlier_rule(Table& settings) {
  const auto eval = settings.tables.find("eval");
  if (eval != settings.tables.end() && !eval->second.values.contains("report")) {
    set_paper_rule(eval->second);
  }
}

}  // namespace projnce::config
