#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace projnce {

enum class SoundFormat { kWav, kFlac, kOgg, kMp3 };

/// What kind of sound file these bytes are. Throws for all others: the library behind decode_sound
/// knows dozens of formats, and no parser is reached that nobody needs.
SoundFormat sound_format(std::span<const uint8_t> bytes, const std::string& name);

/// Throws where a WAV's samples are said to go on after the end of the file, as in a download that
/// broke off. Sizes that programs write when they do not know the length yet are let through.
void refuse_cut_wav(std::span<const uint8_t> bytes, const std::string& name);

}  // namespace projnce
