#pragma once

#include "projnce/kernel/conv/block_loops.h"
#include "projnce/kernel/conv/gathered_product.h"
#include "projnce/kernel/conv/pool_block.h"
#include "projnce/kernel/conv/winograd_tile.h"
#include "projnce/kernel/filter_by_quantized_distance.h"
#include "projnce/kernel/logsumexp_tile.h"
#include "projnce/kernel/map_forces.h"
#include "projnce/kernel/median_rows.h"
#include "projnce/kernel/micro_tile.h"
#include "projnce/kernel/select_above.h"
#include "projnce/kernel/smoothing_grads.h"
#include "projnce/kernel/smoothing_sums.h"
#include "projnce/kernel/table.h"
#include "projnce/kernel/transform_tile.h"

namespace projnce::kernel {

/// Collects get<split, masked, both_roles>() for all variants, in the order of TileKind::index().
template <class T, class Arguments, class Get>
constexpr TileVariants<T, Arguments> tile_variants(const Get& get) {
  return {
      {get.template operator()<false, false, false>(),
       get.template operator()<false, false, true>(), get.template operator()<false, true, false>(),
       get.template operator()<false, true, true>(), get.template operator()<true, false, false>(),
       get.template operator()<true, false, true>(), get.template operator()<true, true, false>(),
       get.template operator()<true, true, true>()}};
}

/// Builds the table for one `Arch`, which defines the register width (kBytes) and the size of a
/// micro tile (kTileRows x kPanelVectors accumulators; for convolutions kProductRows rows of floats
/// x kProductBlocks blocks of channels).
template <class Arch, class T>
constexpr KernelTable<T> make_table() {
  return {
      .panel_columns = Arch::kPanelVectors * Simd<Arch, T>::kWidth,
      .median_columns = kMedianColumns<T>,
      .dot_tile = pair_tile<Arch, T, DotProduct>,
      .add_product = add_product<Arch, T>,
      .exp_sum_tile = tile_variants<T, TileSums<T>>(
          []<bool... kKind>() { return exp_sum_tile<Arch, T, kKind...>; }),
      .online_logsumexp_tile = {online_logsumexp_tile<Arch, T, false>,
                                online_logsumexp_tile<Arch, T, true>},
      .logsumexp_backward_tile = tile_variants<T, TileGrad<T>>(
          []<bool... kKind>() { return logsumexp_backward_tile<Arch, T, kKind...>; }),
      .online_logsumexp_backward_tile = tile_variants<T, TileGrad<T>>(
          []<bool... kKind>() { return online_logsumexp_backward_tile<Arch, T, kKind...>; }),
      .transform_sum_tile = {transform_sum_tile<Arch, T, false>, transform_sum_tile<Arch, T, true>},
      .transform_backward_tile = {transform_backward_tile<Arch, T, false>,
                                  transform_backward_tile<Arch, T, true>},
      .median_rows = median_rows<Arch, T>,
      .filter_by_quantized_distance = filter_by_quantized_distance<Arch>,
      .largest_difference = largest_difference<Arch, T>,
      .add_kernel_sums = add_kernel_sums<Arch, T>,
      .accumulate_kernel_grad = accumulate_kernel_grad<Arch, T>,
      .select_above = select_above<Arch, T>,
      .any_above = any_above<Arch, T>,
      .squared_distance = squared_distance<Arch, T>,
      .repel = repel<Arch, T>,
      .attract = attract<Arch, T>,
      .load_block = load_block<Arch, T>,
      .add_squares = add_squares<Arch, T>,
      .relu_backward = relu_backward<Arch, T>,
      .max_pool = max_pool<Arch, T>,
      .add_pool_gradient = add_pool_gradient<Arch, T>,
      .gathered_product = gathered_product<Arch, T>,
      .gathered_outer = gathered_outer<Arch, T>,
      .winograd_input = winograd_input<Arch, T>,
      .winograd_gradient = winograd_gradient<Arch, T>,
      .winograd_output = winograd_output<Arch, T>,
      .winograd_weights = winograd_weights<Arch, T>,
      .winograd_weight_gradient = winograd_weight_gradient<Arch, T>};
}

}  // namespace projnce::kernel
