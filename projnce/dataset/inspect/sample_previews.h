#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "projnce/core/sample.h"
#include "projnce/dataset/dataset.h"
#include "projnce/dataset/inspect/decode_all.h"

namespace projnce::dataset {

/// Parameters for drawing sounds, common to all of them so that their images are comparable.
struct SoundDrawing {
  int rate = 16000;    ///< sampling rate; half of it is the highest frequency shown
  double seconds = 1;  ///< duration shown
};

/// Draws a sample as a square RGBA image of size x size pixels.
///
/// Images keep their aspect ratio; the rest is transparent. Sounds are drawn as log-mel
/// spectrograms (computed, or as given): low frequencies at the bottom, 60 dB from the darkest to
/// the brightest color. Vectors are drawn row by row in a square, scaled from their minimum to
/// their maximum. REQUIRES: the sample is consistent, as decoded by a dataset.
Image draw_tile(const Sample& sample, int size, const SoundDrawing& sound);

/// Placeholder for a sample that cannot be decoded: a cross on gray.
Image corrupt_tile(int size);

/// Explanation of the tiles for the reader: sentences that end in a space, or "".
std::string explain_tiles(SampleKind kind);

/// Chooses the drawing parameters of a dataset of sounds: the rate of the first readable sound,
/// within limits, and `seconds`, or if that is 0 the typical length, for which some sounds are
/// decoded. Returns defaults for other datasets.
SoundDrawing sound_drawing(const Dataset& dataset, double seconds = 0);

/// Draws a tile of size x size pixels for each of the samples, in order; a cross for those that
/// cannot be decoded.
std::vector<Image> draw_samples(const DatasetPtr& dataset, const std::vector<int64_t>& samples,
                                int size, const SoundDrawing& sound,
                                const DecodeAllOptions& decoding);

/// An excerpt of a sound for playback in a report.
struct SoundClip {
  std::vector<uint8_t> wav = {};  ///< WAV file; empty if not available
  double seconds = 0;             ///< length of the excerpt
  double whole_seconds = 0;       ///< length of the whole sound
};

/// Maximum length of an excerpt in seconds.
inline constexpr double kMaxClipSeconds = 1.5;
/// Maximum sampling rate of an excerpt.
inline constexpr int kClipRate = 8000;
/// Maximum total size of the excerpts in a report, in bytes.
inline constexpr size_t kMaxReportClipBytes = 1'000'000;

/// Returns the loudest excerpt of up to kMaxClipSeconds, at most at kClipRate, scaled to full
/// volume.
SoundClip make_sound_clip(const Clip& sound);

/// Returns excerpts of the samples, in order, as long as they fit into `bytes`; empty ones for the
/// others and for sounds that cannot be decoded. Returns nothing for datasets without sounds.
std::vector<SoundClip> make_sound_clips(const Dataset& dataset, const std::vector<int64_t>& samples,
                                        size_t bytes = kMaxReportClipBytes);

/// Formats the length: "1.5 of 4.0 s", or "0.8 s" for a whole sound.
std::string clip_length_text(const SoundClip& clip);

}  // namespace projnce::dataset
