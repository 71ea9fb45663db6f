#pragma once

#include <cstdint>
#include <string>

#include "projnce/core/field_visitor.h"

namespace projnce::augment {

/// Mel scale.
enum class MelScale {
  kHtk,     ///< 2595 log10(1 + f / 700); triangles of height 1
  kSlaney,  ///< linear to 1 kHz, logarithmic above; triangles of equal area
};

/// Parameters of log-mel spectrograms. The defaults give 128 x 32 values for one second.
struct MelOptions {
  int rate = 16000;    ///< sampling rate in Hz, 1000 to 192000; clips are resampled to it
  double seconds = 1;  ///< clips are cropped or padded to this length; at most 60
  int fft = 1024;      ///< frame length in samples; even, 16 to 16384
  int hop = 512;       ///< hop length in samples, 1 to fft
  int mels = 128;      ///< number of mel bands, 1 to 1024
  MelScale scale = MelScale::kHtk;
  double low = 0;   ///< lowest frequency in Hz
  double high = 0;  ///< highest frequency in Hz, at most rate / 2; 0 = rate / 2

  int64_t samples() const;  ///< number of samples in `seconds`
  int64_t frames() const { return 1 + samples() / hop; }
  double highest() const { return high > 0 ? high : rate / 2.0; }
};

/// Throws if a value is out of range, naming it and its `section`.
void check_mel_options(const MelOptions& options, const std::string& section);

/// Fields of a configuration section, with checks. `seconds` may be 0: determined from the data.
void list_fields(MelOptions& options, FieldVisitor& fields);

/// Formats all values in one line, unique for each combination; part of the feature cache key.
std::string fingerprint(const MelOptions& options);

}  // namespace projnce::augment
