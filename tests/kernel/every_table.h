#pragma once

#include <string>
#include <vector>

#include "projnce/kernel/table.h"
#include "tests/kernel/wide_table.h"

namespace projnce::testing {

template <class T>
struct NamedTable {
  std::string name;
  const KernelTable<T>* table;
};

/// The kernels that this processor can run.
template <class T>
std::vector<NamedTable<T>> every_table() {
  std::vector<NamedTable<T>> tables = {{"plain", &plain_kernels<T>()}};
#if defined(__x86_64__)
  if (best_isa() >= Isa::kAvx2) tables.push_back({"avx2", &avx2_kernels<T>()});
  if (best_isa() >= Isa::kAvx2) tables.push_back({"wide", &wide_kernels<T>()});
  if (best_isa() >= Isa::kAvx512) tables.push_back({"avx512", &avx512_kernels<T>()});
#else
  tables.push_back({"wide", &wide_kernels<T>()});
#endif
  return tables;
}

}  // namespace projnce::testing
