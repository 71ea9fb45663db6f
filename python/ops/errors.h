#pragma once

#include <c10/util/Exception.h>

#include <string>
#include <string_view>

#include "projnce/core/error.h"

namespace projnce::ops {

/// Python has SupContrast's name for an option that a configuration calls otherwise.
constexpr std::string_view kBaseTemperature = "base_temperature";
constexpr std::string_view kBaseTau = "base_tau";

inline std::string with_python_names(std::string sentence) {
  const auto found = sentence.find(kBaseTau);
  if (found != std::string::npos) sentence.replace(found, kBaseTau.size(), kBaseTemperature);
  return sentence;
}

/// Runs `work`; what the user can mend becomes the exception that Python knows as ValueError, with
/// the sentence and what to do about it.
template <class Work>
auto with_python_errors(const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    const auto sentence =
        error.hint().empty() ? std::string(error.what()) : concat(error.what(), "; ", error.hint());
    throw c10::ValueError({__func__, __FILE__, static_cast<uint32_t>(__LINE__)},
                          with_python_names(sentence));
  }
}

}  // namespace projnce::ops
