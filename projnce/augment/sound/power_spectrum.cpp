#include "projnce/augment/sound/power_spectrum.h"

#include <kissfft/kissfft.hh>
#include <vector>

namespace projnce {

struct PowerSpectrum::Transform {
  explicit Transform(size_t size)
      : fft(size / 2, /*inverse=*/false), spectrum(size / 2), powers(size / 2 + 1) {}

  kissfft<double> fft;
  std::vector<std::complex<double>> spectrum;
  std::vector<double> powers;
};

PowerSpectrum::PowerSpectrum(int size)
    : transform_(std::make_unique<Transform>(static_cast<size_t>(size))) {}
PowerSpectrum::~PowerSpectrum() = default;
PowerSpectrum::PowerSpectrum(PowerSpectrum&&) noexcept = default;
PowerSpectrum& PowerSpectrum::operator=(PowerSpectrum&&) noexcept = default;

std::span<const double> PowerSpectrum::compute(std::span<const double> frame) {
  auto& [fft, spectrum, powers] = *transform_;
  fft.transform_real(frame.data(), spectrum.data());
  // The lowest and the highest frequency are real numbers and share the first place.
  powers.front() = spectrum.front().real() * spectrum.front().real();
  powers.back() = spectrum.front().imag() * spectrum.front().imag();
  for (size_t k = 1; k < spectrum.size(); ++k) powers[k] = std::norm(spectrum[k]);
  return powers;
}

}  // namespace projnce
