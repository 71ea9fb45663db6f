#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "projnce/core/sample.h"
#include "projnce/dataset/dataset.h"
#include "projnce/dataset/inspect/decode_all.h"

namespace projnce::dataset {

/// Parameters for drawing clips, common to all of them so that their images are comparable.
struct AudioDrawing {
  int rate = 16000;    ///< sampling rate; half of it is the highest frequency shown
  double seconds = 1;  ///< duration shown
};

/// Draws a sample as a square RGBA image of size x size pixels.
///
/// Images keep their aspect ratio; the rest is transparent. Clips are drawn as log-mel
/// spectrograms (computed, or as given): low frequencies at the bottom, 60 dB from the darkest to
/// the brightest color. Vectors are drawn row by row in a square, scaled from their minimum to
/// their maximum. REQUIRES: the sample is consistent, as decoded by a dataset.
Image draw_tile(const Sample& sample, int size, const AudioDrawing& audio);

/// Placeholder for a sample that cannot be decoded: a cross on gray.
Image corrupt_tile(int size);

/// Explanation of the tiles for the reader: sentences that end in a space, or "".
std::string explain_tiles(SampleKind kind);

/// Chooses the drawing parameters of a dataset of clips: the rate of the first readable clip,
/// within limits, and `seconds`, or if that is 0 the typical length, for which some clips are
/// decoded. Returns defaults for other datasets.
AudioDrawing audio_drawing(const Dataset& dataset, double seconds = 0);

/// Draws a tile of size x size pixels for each of the samples, in order; a cross for those that
/// cannot be decoded.
std::vector<Image> draw_samples(const DatasetPtr& dataset, const std::vector<int64_t>& samples,
                                int size, const AudioDrawing& audio,
                                const DecodeAllOptions& decoding);

/// An excerpt of a clip for playback in a report.
struct AudioExcerpt {
  std::vector<uint8_t> wav = {};  ///< WAV file; empty if not available
  double seconds = 0;             ///< length of the excerpt
  double whole_seconds = 0;       ///< length of the whole clip
};

/// Maximum length of an excerpt in seconds.
inline constexpr double kMaxClipSeconds = 1.5;
/// Maximum sampling rate of an excerpt.
inline constexpr int kClipRate = 8000;
/// Maximum total size of the excerpts in a report, in bytes.
inline constexpr size_t kMaxReportClipBytes = 1'000'000;

/// Returns the loudest excerpt of up to kMaxClipSeconds, at most at kClipRate, scaled to full
/// volume.
AudioExcerpt make_audio_excerpt(const Clip& audio);

/// Returns excerpts of the samples, in order, as long as they fit into `bytes`; empty ones for the
/// others and for clips that cannot be decoded. Returns nothing for datasets without clips.
std::vector<AudioExcerpt> make_audio_excerpts(const Dataset& dataset,
                                              const std::vector<int64_t>& samples,
                                              size_t bytes = kMaxReportClipBytes);

/// Formats the length: "1.5 of 4.0 s", or "0.8 s" for a whole clip.
std::string clip_length_text(const AudioExcerpt& clip);

}  // namespace projnce::dataset
