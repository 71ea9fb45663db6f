#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "projnce/augment/audio/mel_options.h"
#include "projnce/core/sample.h"

namespace projnce::augment {

/// One mel band: weights of consecutive frequencies k * rate / fft, starting at k = first. Empty if
/// the band is so narrow that it lies between two frequencies.
struct MelBand {
  int first = 0;
  std::vector<double> weights;
};

/// Mel filter bank, lowest band first: triangles with corners equally spaced on the mel scale
/// between options.low and options.highest(), each reaching from the center of the previous band to
/// the center of the next. On the Slaney scale, they are divided by half their width in Hz.
std::vector<MelBand> mel_filters(const MelOptions& options);

/// Power spectrum |DFT|^2 of real frames of a fixed even size, in double precision: in single
/// precision, a loud band would mask others 70 dB below it. Two frames share one complex transform,
/// as its real and imaginary parts. Reuses its buffers; use one per thread.
class PowerSpectrum {
 public:
  explicit PowerSpectrum(int size);
  ~PowerSpectrum();
  PowerSpectrum(PowerSpectrum&&) noexcept;
  PowerSpectrum& operator=(PowerSpectrum&&) noexcept;

  /// Buffer of two frames, to be filled before `compute`.
  std::span<std::complex<double>> frames();

  /// Powers of frequencies 0 to size / 2 of each frame, valid until the next call.
  struct Powers {
    std::span<const double> first;
    std::span<const double> second;
  };
  Powers compute();

 private:
  struct Transform;
  std::unique_ptr<Transform> transform_;
};

/// Added to the energy of a band before taking the logarithm.
inline constexpr double kLogMelFloor = 1e-6;

/// Periodic Hann window: 0.5 - 0.5 cos(2 pi i / size).
std::vector<double> periodic_hann(int size);

/// Index after reflection padding of a clip of `size` samples.
int64_t mirrored_index(int64_t index, int64_t size);

/// Log-mel spectrogram: frames of options.fft samples with a periodic Hann window, powers summed
/// into mel bands, natural logarithm of the sums plus 1e-6.
///
/// Frame t is centered at sample t * hop, t = 0 .. samples / hop, with reflection padding at the
/// ends (without repeating the outermost sample; repeated for clips shorter than half a frame; a
/// single sample is a constant). Bands that contain no frequency of the transform (such as with 128
/// bands and 512 samples at 16 kHz) are log(1e-6).
///
/// Reuses its buffers; use one per thread.
class LogMel {
 public:
  explicit LogMel(const MelOptions& options);

  /// Writes 1 x mels x (1 + samples / hop) values. REQUIRES: at least one sample.
  void compute(std::span<const float> samples, Features& out);

  const MelOptions& options() const { return options_; }

 private:
  void load_frame(std::span<const float> samples, int64_t frame, double* part) const;
  void write_columns(const PowerSpectrum::Powers& powers, int64_t frame, Features& out) const;

  MelOptions options_;
  std::vector<MelBand> bands_;
  std::vector<double> window_;
  PowerSpectrum spectrum_;
};

}  // namespace projnce::augment
