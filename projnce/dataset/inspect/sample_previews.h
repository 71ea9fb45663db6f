#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "projnce/core/sample.h"
#include "projnce/dataset/dataset.h"
#include "projnce/dataset/inspect/decode_all.h"

namespace projnce::dataset {

/// How sounds are drawn: all alike, so that their images can be compared.
struct SoundDrawing {
  int rate = 16000;    ///< samples a second; half of it is the highest frequency that shows
  double seconds = 1;  ///< from the left to the right edge
};

/// A sample as a square of size x size pixels, RGBA.
///
/// An image keeps its proportions; what it leaves free is transparent. A sound is its log-mel
/// spectrogram, or comes as one: low frequencies at the bottom, 60 dB from the darkest to the
/// brightest color. A vector is its numbers, row by row in a square, from the smallest to the
/// largest.
/// REQUIRES: what the sample holds fits together, as what datasets decode does.
Image draw_tile(const Sample& sample, int size, const SoundDrawing& sound);

/// Stands for a sample that does not decode: a cross on gray.
Image corrupt_tile(int size);

/// What a reader must know to understand the tiles: sentences that end in a space, or nothing.
std::string explain_tiles(SampleKind kind);

/// How the sounds of a dataset are drawn: at the rate of the first that can be read, within limits,
/// and over `seconds`, or where that is 0 over their usual length, for which some are decoded.
/// What holds no sounds needs none of it.
SoundDrawing sound_drawing(const Dataset& dataset, double seconds = 0);

/// A tile of size x size pixels for each of the samples, in their order; a cross for one that does
/// not decode.
std::vector<Image> draw_samples(const DatasetPtr& dataset, const std::vector<int64_t>& samples,
                                int size, const SoundDrawing& sound,
                                const DecodeAllOptions& decoding);

/// A short piece of a sound that a report can play.
struct SoundClip {
  std::vector<uint8_t> wav = {};  ///< WAV file; empty if there is none
  double seconds = 0;             ///< length of the piece
  double whole_seconds = 0;       ///< length of the sound; more if the piece was cut out of it
};

/// Longest piece, in seconds.
inline constexpr double kLongestClipSeconds = 1.5;
/// Rate of pieces of sounds with a higher rate, in samples a second.
inline constexpr int kClipRate = 8000;
/// Largest size of all pieces in a report, in bytes.
inline constexpr size_t kClipBytesOfAReport = 1'000'000;

/// The loudest piece of up to kLongestClipSeconds, at kClipRate or less, scaled to full volume.
SoundClip make_sound_clip(const Clip& sound);

/// Pieces of the samples, in their order, as long as all of them fit into `bytes`; empty ones for
/// the others and for sounds that do not decode. No pieces for a dataset that holds no sounds.
std::vector<SoundClip> make_sound_clips(const Dataset& dataset, const std::vector<int64_t>& samples,
                                        size_t bytes = kClipBytesOfAReport);

/// "1.5 of 4.0 s", or "0.8 s" for a whole sound.
std::string clip_length_text(const SoundClip& clip);

}  // namespace projnce::dataset
