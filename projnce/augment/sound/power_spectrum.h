#pragma once

#include <complex>
#include <memory>
#include <span>

namespace projnce {

/// |DFT|^2 of real frames of one even size, in double precision: in single precision a loud band
/// would drown what is 70 dB below it. Two frames share one complex transform, one as its real and
/// one as its imaginary part. Keeps its buffers, so each thread has one of its own.
class PowerSpectrum {
 public:
  explicit PowerSpectrum(int size);
  ~PowerSpectrum();
  PowerSpectrum(PowerSpectrum&&) noexcept;
  PowerSpectrum& operator=(PowerSpectrum&&) noexcept;

  /// Two frames, to be filled in before `compute`.
  std::span<std::complex<double>> frames();

  /// The powers of frequencies 0 to size / 2 in each of the frames, valid until the next call.
  struct Powers {
    std::span<const double> first;
    std::span<const double> second;
  };
  Powers compute();

 private:
  struct Transform;
  std::unique_ptr<Transform> transform_;
};

}  // namespace projnce
