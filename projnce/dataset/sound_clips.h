#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "projnce/dataset/dataset.h"

namespace projnce {

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

}  // namespace projnce
