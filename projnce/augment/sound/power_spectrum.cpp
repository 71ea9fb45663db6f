#include "projnce/augment/sound/power_spectrum.h"

#include <kissfft/kissfft.hh>
#include <vector>

namespace projnce {

struct PowerSpectrum::Transform {
  explicit Transform(size_t size)
      : fft(size, /*inverse=*/false),
        frames(size),
        spectrum(size),
        first(size / 2 + 1),
        second(size / 2 + 1) {}

  kissfft<double> fft;
  std::vector<std::complex<double>> frames;
  std::vector<std::complex<double>> spectrum;
  std::vector<double> first;
  std::vector<double> second;
};

PowerSpectrum::PowerSpectrum(int size)
    : transform_(std::make_unique<Transform>(static_cast<size_t>(size))) {}
PowerSpectrum::~PowerSpectrum() = default;
PowerSpectrum::PowerSpectrum(PowerSpectrum&&) noexcept = default;
PowerSpectrum& PowerSpectrum::operator=(PowerSpectrum&&) noexcept = default;

std::span<std::complex<double>> PowerSpectrum::frames() {
  return transform_->frames;
}

PowerSpectrum::Powers PowerSpectrum::compute() {
  auto& [fft, frames, spectrum, first, second] = *transform_;
  fft.transform(frames.data(), spectrum.data());
  // The transform of a real frame is the conjugate of itself backwards; so with z and its mirror
  // image w, those of the two frames are (z + conj w) / 2 and (z - conj w) / 2i.
  for (size_t k = 0; k < first.size(); ++k) {
    const auto z = spectrum[k];
    const auto w = std::conj(spectrum[k == 0 ? 0 : spectrum.size() - k]);
    first[k] = std::norm(z + w) / 4;
    second[k] = std::norm(z - w) / 4;
  }
  return {first, second};
}

}  // namespace projnce
