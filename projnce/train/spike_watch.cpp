#include "projnce/train/spike_watch.h"

#include <algorithm>
#include <cmath>

namespace projnce {

namespace {

constexpr double kForget = 0.05;      // about the last 20 steps count
constexpr int64_t kStepsToKnow = 50;  // before which nothing is unusual
constexpr double kDeviations = 6;
constexpr double kSmallest = 0.01;  // of the mean: less is no spike, however even the losses were

}  // namespace

bool SpikeWatch::see(double loss) {
  const double deviation = std::max(std::sqrt(variance), kSmallest * std::abs(mean));
  const bool spike = steps >= kStepsToKnow && loss > mean + kDeviations * deviation;
  // A plain average over the first steps, which then turns into the running one.
  const double weight = std::max(kForget, 1 / static_cast<double>(steps + 1));
  const double change = loss - mean;
  mean += weight * change;
  variance = (1 - weight) * (variance + weight * change * change);
  ++steps;
  return spike;
}

}  // namespace projnce
