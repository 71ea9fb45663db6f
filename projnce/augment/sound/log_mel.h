#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "projnce/augment/sound/mel_filters.h"
#include "projnce/augment/sound/mel_options.h"
#include "projnce/augment/sound/power_spectrum.h"
#include "projnce/core/sample.h"

namespace projnce {

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

}  // namespace projnce
