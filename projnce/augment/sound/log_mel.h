#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "projnce/augment/sound/mel_options.h"
#include "projnce/core/sample.h"

namespace projnce::augment {

/// One band: the weights of neighboring frequencies k * rate / fft, beginning with k = first.
/// None where the band is narrower than their distance and lies between two of them.
struct MelBand {
  int first = 0;
  std::vector<double> weights;
};

/// The bands, lowest first: triangles whose corners are equally spaced on the mel scale between
/// options.low and options.highest(), each from the middle of the one before to the middle of the
/// one after. For the Slaney scale they are divided by half their width in Hz.
std::vector<MelBand> mel_filters(const MelOptions& options);

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

/// What is added to a band's energy before its logarithm is taken.
inline constexpr double kLogMelFloor = 1e-6;

/// The window that a frame is looked at through: 0.5 - 0.5 cos(2 pi i / size).
std::vector<double> periodic_hann(int size);

/// The sample that stands at `index` when a sound of `size` samples is mirrored at both ends.
int64_t mirrored_index(int64_t index, int64_t size);

/// The log-mel spectrogram of a sound: frames of options.fft samples under a periodic Hann window,
/// their powers summed into mel bands, and the natural logarithm of that plus 1e-6.
///
/// Frame t has its middle at sample t * hop, t = 0 .. samples / hop. At the ends the sound goes on
/// as its mirror image (the outermost sample is not repeated; a sound shorter than half a frame is
/// mirrored again and again; a single sample is a constant). Bands that no frequency of the
/// transform falls into (128 bands are too many for 512 samples at 16 kHz) hold log(1e-6).
///
/// Keeps its buffers between calls, so each thread has one of its own.
class LogMel {
 public:
  explicit LogMel(const MelOptions& options);

  /// Writes 1 x mels x (1 + samples / hop) numbers. Any number of samples but none will do.
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
