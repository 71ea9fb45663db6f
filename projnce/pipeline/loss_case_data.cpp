// The kinds of cases that are no losses: what happens to data before them and to embeddings after.
#include <torch/types.h>

#include <limits>

#include "projnce/augment/pixel_ops.h"
#include "projnce/core/error.h"
#include "projnce/core/table_reader.h"
#include "projnce/dataset/label_noise.h"
#include "projnce/eval/accuracy.h"
#include "projnce/eval/nearest_centroid.h"
#include "projnce/pipeline/loss_case_kinds.h"
#include "projnce/projection/class_matrix.h"

namespace projnce {

namespace {

using nlohmann::json;

FloatImage to_image(const torch::Tensor& planes) {
  FloatImage image;
  image.reshape(static_cast<int>(planes.size(0)), static_cast<int>(planes.size(1)),
                static_cast<int>(planes.size(2)));
  const auto values = planes.to(torch::kFloat).contiguous();
  std::copy_n(values.data_ptr<float>(), values.numel(), image.plane(0));
  return image;
}

}  // namespace

json evaluate_augment_case(const LossCase& loss_case) {
  const auto params = loss_case.params();
  std::string op;
  double factor = 0;
  TableReader reader(params, "params");
  reader.field("op", op).field("factor", factor);
  reader.done();
  const auto planes = loss_case.planes("image_chw");
  if (planes.size(0) != 1 && planes.size(0) != 3) {
    fail("inputs.image_chw has ", planes.size(0), " channels, expected 1 or 3");
  }
  auto image = to_image(planes);
  apply_pixel_op(op, factor, image);
  return {
      {"image_chw", to_json(torch::from_blob(image.plane(0), planes.sizes()).to(torch::kDouble))}};
}

json evaluate_label_noise_case(const LossCase& loss_case) {
  auto params = loss_case.params();
  const auto classes = take_integer(params, "num_classes", 1, kMostClasses);
  const auto seed = take_integer(params, "seed", 0, std::numeric_limits<int64_t>::max());
  LabelNoiseOptions options{.seed = static_cast<uint64_t>(seed)};
  TableReader reader(params, "params");
  reader.field("p", options.rate, between(0, 1)).choice("mode", options.mode, label_noise_modes());
  reader.done();
  const auto labels = loss_case.integers("labels");
  check_labels(labels, classes, "inputs.labels");
  const auto* first = labels.data_ptr<int64_t>();
  return {{"labels", add_label_noise({first, first + labels.numel()}, classes, options)}};
}

json evaluate_nearest_centroid_case(const LossCase& loss_case) {
  auto params = loss_case.params();
  const auto classes = take_integer(params, "num_classes", 1, kMostClasses);
  bool normalize = true;
  TableReader reader(params, "params");
  reader.field("normalize_train", normalize);
  reader.done();
  const auto train = loss_case.matrix("z_train");
  const auto test = loss_case.matrix("z_test");
  const auto train_labels = loss_case.integers("y_train", train);
  const auto test_labels = loss_case.integers("y_test", test);
  check_labels(train_labels, classes, "inputs.y_train");
  check_labels(test_labels, classes, "inputs.y_test");
  if (train.size(1) != test.size(1)) {
    fail("inputs.z_test has ", test.size(1), " columns, expected ", train.size(1));
  }
  const auto centroids = class_centroids(train, train_labels, classes, normalize);
  const auto scores = cosine_scores(test, centroids);
  return {{"centroids", to_json(centroids.nan_to_num())},
          {"scores", to_json(scores)},
          {"pred", to_json(predict_class(scores))},
          {"accuracy", measure_accuracy(scores, test_labels).top1}};
}

}  // namespace projnce
