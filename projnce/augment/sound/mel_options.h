#pragma once

#include <cstdint>
#include <string>

#include "projnce/core/field_visitor.h"

namespace projnce::augment {

/// How frequencies are spread over the bands.
enum class MelScale {
  kHtk,     ///< 2595 log10(1 + f / 700); triangles of height 1
  kSlaney,  ///< linear to 1 kHz, logarithmic above; triangles of the same area
};

/// How a sound becomes a spectrogram. The defaults turn one second into 128 x 32 numbers.
struct MelOptions {
  int rate = 16000;    ///< samples a second, 1000 to 192000; sounds are resampled to it
  double seconds = 1;  ///< length that sounds are cropped or padded to, at most 60
  int fft = 1024;      ///< samples in a frame, even, 16 to 16384
  int hop = 512;       ///< samples from one frame to the next, 1 to fft
  int mels = 128;      ///< bands, 1 to 1024
  MelScale scale = MelScale::kHtk;
  double low = 0;   ///< Hz where the first band begins
  double high = 0;  ///< Hz where the last band ends, at most rate / 2; 0: rate / 2

  int64_t samples() const;  ///< of a sound of the right length
  int64_t frames() const { return 1 + samples() / hop; }
  double highest() const { return high > 0 ? high : rate / 2.0; }
};

/// Throws where a value is out of range, naming it and its `section`.
void check_mel_options(const MelOptions& options, const std::string& section);

/// A section of a configuration; checked. Here `seconds` may be 0: the data decides.
void list_fields(MelOptions& options, FieldVisitor& fields);

/// All values in one line, different for different ones: part of the key of what is kept on disk.
std::string fingerprint(const MelOptions& options);

}  // namespace projnce::augment
