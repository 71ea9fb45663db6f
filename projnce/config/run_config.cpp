#include "projnce/config/run_config.h"

#include "projnce/core/error.h"
#include "projnce/core/table_reader.h"
#include "projnce/core/table_writer.h"
#include "projnce/core/toml.h"
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

namespace {

void list_top_level(RunSettings& settings, FieldVisitor& fields) {
  fields.field("seed", settings.seed, at_least(0))
      .field("threads", settings.threads, between(0, 1024))
      .field("data_root", settings.data_root)
      .field("version", settings.version);
}

void list_sections(RunConfig& config, FieldVisitor& fields) {
  fields.section("train", config.train)
      .section("augment", config.augment)
      .section("input", config.input)
      .section("eval", config.eval)
      .section("report", config.report)
      .section("loss", config.loss)
      .section("dataset", config.dataset);
}

}  // namespace

void list_fields(ReportOptions& options, FieldVisitor& fields) {
  fields.field("page", options.page)
      .field("max_points", options.max_points, between(100, 100'000))
      .field("events", options.events);
}

void list_fields(RunConfig& config, FieldVisitor& fields) {
  list_top_level(config.run, fields);
  list_sections(config, fields);
  fields.section("encoder", config.encoder);
}

RunConfig parse_run_config(const Table& settings, EncoderChoice choice) {
  TableReader reader(settings, "");
  return parse_run_config(reader, choice);
}

RunConfig parse_run_config(TableReader& reader, EncoderChoice choice) {
  RunConfig config;
  list_top_level(config.run, reader);
  dataset::seed_noise(config.dataset, static_cast<uint64_t>(config.run.seed));
  list_sections(config, reader);
  if (choice == EncoderChoice::kSettings) {
    reader.section("encoder", config.encoder);
  } else {
    reader.sub_table("encoder");
  }
  reader.done();
  return config;
}

std::string to_toml(const RunConfig& config) {
  return projnce::to_toml(to_table(config));
}

}  // namespace projnce::config
