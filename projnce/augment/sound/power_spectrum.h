#pragma once

#include <memory>
#include <span>

namespace projnce {

/// |DFT|^2 of real frames of one even size, in double precision: in single precision a loud band
/// would drown what is 70 dB below it. Keeps its buffers, so each thread has one of its own.
class PowerSpectrum {
 public:
  explicit PowerSpectrum(int size);
  ~PowerSpectrum();
  PowerSpectrum(PowerSpectrum&&) noexcept;
  PowerSpectrum& operator=(PowerSpectrum&&) noexcept;

  /// The powers of frequencies 0 to size / 2, valid until the next call.
  /// REQUIRES: the frame has `size` values.
  std::span<const double> compute(std::span<const double> frame);

 private:
  struct Transform;
  std::unique_ptr<Transform> transform_;
};

}  // namespace projnce
