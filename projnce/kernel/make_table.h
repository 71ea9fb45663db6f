#pragma once

#include "projnce/kernel/attraction_rows.h"
#include "projnce/kernel/curve_tile.h"
#include "projnce/kernel/mass_tile.h"
#include "projnce/kernel/median_rows.h"
#include "projnce/kernel/micro_tile.h"
#include "projnce/kernel/near_codes.h"
#include "projnce/kernel/repulsion_tile.h"
#include "projnce/kernel/select_above.h"
#include "projnce/kernel/smoothing_pulls.h"
#include "projnce/kernel/smoothing_sums.h"
#include "projnce/kernel/table.h"

namespace projnce {

/// The table for one `Arch`, which says how wide registers are (kBytes) and how many of them a
/// micro tile fills (kTileRows x kPanelVectors accumulators).
template <class Arch, class T>
constexpr KernelTable<T> make_table() {
  return {.panel_columns = Arch::kPanelVectors * Simd<Arch, T>::kWidth,
          .median_columns = kMedianColumns<T>,
          .dot_tile = pair_tile<Arch, T, DotProduct>,
          .add_product = add_product<Arch, T>,
          .add_masses = add_masses<Arch, T>,
          .add_running_masses = add_running_masses<Arch, T>,
          .weigh_pairs = weigh_pairs<Arch, T>,
          .weigh_pairs_any = weigh_pairs_any<Arch, T>,
          .add_curve = add_curve<Arch, T>,
          .weigh_curve = weigh_curve<Arch, T>,
          .median_rows = median_rows<Arch, T>,
          .near_codes = near_codes<Arch>,
          .largest_difference = largest_difference<Arch, T>,
          .add_kernel_sums = add_kernel_sums<Arch, T>,
          .add_kernel_pulls = add_kernel_pulls<Arch, T>,
          .select_above = select_above<Arch, T>,
          .any_above = any_above<Arch, T>,
          .squared_distance = squared_distance<Arch, T>,
          .repel = repel<Arch, T>,
          .attract = attract<Arch, T>};
}

}  // namespace projnce
