#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>

#include "projnce/information/mi_bounds.h"

namespace projnce::theory {

/// Points on the unit sphere in three dimensions with weights, so that the integral of a smooth
/// function is the weighted sum of its values.
struct SphereRule {
  torch::Tensor points;   // [n, 3], float64
  torch::Tensor weights;  // [n], sum 4 pi
};

/// Gauss-Legendre in the cosine of the polar angle (120 nodes) times the trapezoid rule in azimuth
/// (240 nodes); integrals of this module are stable to 1e-9.
const SphereRule& sphere_rule();

/// Equiprobable classes on the unit sphere in three dimensions, each a von Mises-Fisher
/// distribution of concentration kappa. I(Z;C), posteriors and class means are known.
class VmfMixture {
 public:
  /// Centers are +-e_3 (2 classes), +-e_1, +-e_2, +-e_3 (6), or Fibonacci points.
  VmfMixture(int64_t num_classes, double kappa);

  /// Independent rows with labels.
  information::LabeledRows draw(int64_t count, torch::Generator& generator) const;
  /// p(c|z) of rows [N, 3]: [N, M].
  torch::Tensor posterior(const torch::Tensor& rows) const;
  /// E[f(z, c)] for values [n, M] at the points of sphere_rule(), by class.
  double expectation(const torch::Tensor& by_class) const;
  /// I(Z;C) in nats, by quadrature.
  double information() const { return information_; }

  const torch::Tensor& centers() const { return centers_; }  ///< [M, 3], unit vectors
  /// E[Z | C = c] of each class, [M, 3].
  torch::Tensor class_means() const { return mean_length_ * centers_; }
  /// The temperature at which class means as class vectors are the optimal critic.
  double optimal_temperature() const { return mean_length_ / kappa_; }
  int64_t num_classes() const { return centers_.size(0); }
  /// "vMF(6, 4)"
  std::string name() const;

 private:
  double kappa_;
  double mean_length_;     // A(kappa) = coth kappa - 1 / kappa
  torch::Tensor centers_;  // [M, 3]
  torch::Tensor frames_;   // [M, 2, 3]: completes each center to an orthonormal basis
  double information_;
};

/// I = 0: rows uniform on the unit sphere in `dim` dimensions, labels independent of them. With two
/// views, the rows of an instance have the cosine 0.5 on average and the same label.
information::LabeledRows draw_random_labels(int64_t count, int64_t num_classes, int64_t dim,
                                            int64_t views, torch::Generator& generator);

/// I = log M: all rows of class c are the unit vector e_c.
information::LabeledRows draw_separated(int64_t count, int64_t num_classes,
                                        torch::Generator& generator);

/// A distribution p(x, c) of three points and two classes.
struct FiniteSource {
  torch::Tensor joint;  // [3, 2]

  FiniteSource();
  /// p(c), [2].
  torch::Tensor class_priors() const { return joint.sum(0); }
  /// I(X;C) in nats.
  double information() const;
  /// log p(c|x) / p(c), [3, 2].
  torch::Tensor log_ratio() const;
};

/// A random number generator that shares no state with others.
torch::Generator experiment_generator(uint64_t seed);

}  // namespace projnce::theory
