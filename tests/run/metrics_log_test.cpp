#include "projnce/run/metrics_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/child_process.h"
#include "tests/support/error_message.h"
#include "tests/support/files.h"
#include "tests/support/scratch_dir.h"

namespace projnce::run {
namespace {

using testing::contents;
using testing::error_message_of;
using ::testing::HasSubstr;
using testing::ScratchDir;

TEST(MetricsLog, TruncatesToTheLengthAtTheCheckpoint) {
  const ScratchDir dir;
  int64_t checkpoint_bytes = 0;
  {
    MetricsLog log(dir / "m.jsonl", 0, make_logger());
    log.append({{"step", 1}});
    checkpoint_bytes = log.bytes();
    log.append({{"step", 2}});
  }
  MetricsLog resumed(dir / "m.jsonl", checkpoint_bytes, make_logger());
  resumed.append({{"step", 3}});
  EXPECT_EQ(contents(dir / "m.jsonl"), "{\"step\":1}\n{\"step\":3}\n");
  EXPECT_THAT(error_message_of([&] { MetricsLog(dir / "m.jsonl", 1000, make_logger()); }),
              HasSubstr("is shorter"));
}

TEST(MetricsLog, BuffersLinesWhileTheDiskIsFull) {
  const ScratchDir dir;
  const pid_t child = testing::start_child([&] {
    MetricsLog log(dir / "m.jsonl", 0, make_logger());
    testing::limit_file_size(15);
    log.append({{"step", 1}});
    if (log.is_behind()) return 1;
    log.append({{"step", 2}});
    if (!log.is_behind() || log.bytes() != 22) return 2;
    testing::limit_file_size(RLIM_INFINITY);
    log.append({{"step", 3}});
    return log.is_behind() ? 3 : 0;
  });
  EXPECT_EQ(testing::wait_for(child), 0);
  EXPECT_EQ(contents(dir / "m.jsonl"), "{\"step\":1}\n{\"step\":2}\n{\"step\":3}\n");
}

TEST(MetricsWriter, WritesTheReportsOfATraining) {
  const ScratchDir dir;
  const train::StepReport step{.epoch = 1,
                               .batch = 2,
                               .step = 7,
                               .learning_rate = 0.5,
                               .gradient_norm = 2,
                               .values = {{"loss", 1.5}}};
  const train::EpochReport epoch{
      .epoch = 1, .step = 9, .learning_rate = 0.25, .means = {{"loss", 1.25}}};
  inference::Evaluation evaluation;
  evaluation.results = {{.protocol = eval::Protocol::kNearestCentroid,
                         .accuracy = {.top1 = 0.5, .top5 = 1},
                         .interval = {0.25, 0.75}}};
  MetricsWriter writer({dir.path()}, {.events = false}, make_logger());
  writer.add_step(step);
  writer.add_spike(step);
  writer.add_skipped_step(step);
  writer.add_epoch(epoch);
  writer.add_evaluation(epoch, evaluation);
  EXPECT_EQ(contents(dir / "metrics.jsonl"),
            R"({"step":7,"epoch":1,"split":"train","name":"step","value":)"
            R"({"loss":1.5,"learning_rate":0.5,"gradient_norm":2.0}})"
            "\n"
            R"({"step":7,"epoch":1,"split":"train","name":"spike","value":{"loss":1.5}})"
            "\n"
            R"({"step":7,"epoch":1,"split":"train","name":"skipped_step","value":{"steps":1}})"
            "\n"
            R"({"step":9,"epoch":1,"split":"train","name":"epoch","value":{"loss":1.25}})"
            "\n"
            R"({"step":9,"epoch":1,"split":"test","name":"nearest-centroid","value":)"
            R"({"top1":0.5,"top1_interval":[0.25,0.75],"top5":1.0}})"
            "\n");
}

}  // namespace
}  // namespace projnce::run
