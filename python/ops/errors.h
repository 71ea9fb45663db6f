#pragma once

#include <c10/util/Exception.h>

#include <string>

#include "projnce/core/error.h"

namespace projnce::ops {

/// Runs `work`; what the user can mend becomes the exception that Python knows as ValueError, with
/// the sentence and what to do about it.
template <class Work>
auto with_python_errors(const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    const auto sentence =
        error.hint().empty() ? std::string(error.what()) : concat(error.what(), "; ", error.hint());
    throw c10::ValueError({__func__, __FILE__, static_cast<uint32_t>(__LINE__)}, sentence);
  }
}

}  // namespace projnce::ops
