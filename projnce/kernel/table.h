#pragma once

#include <cstdint>

#include "projnce/kernel/isa.h"
#include "projnce/kernel/score_tile.h"

namespace projnce::kernel {

template <class T>
struct TileSums;
template <class T>
struct TileGrad;
template <class T>
struct TransformRows;
template <class T>
struct SmoothingPanel;
template <class T>
struct Candidate;
template <class T>
struct RepulsionTile;
template <class T>
struct AttractionRows;
template <class T>
struct InputTransform;
template <class T>
struct BlockTarget;
template <class T>
struct ReluBackwardArgs;
template <class T>
struct PoolBlock;
template <class T>
struct GatheredProduct;
template <class T>
struct GatheredOuter;
template <class T>
struct WinogradTiles;
template <class T>
struct WinogradOutputRow;
struct OnlineLogSumExp;
struct PairTransform;

/// A loop over a tile, compiled for each TileKind.
template <class T, class Arguments>
struct TileVariants {
  void (*variants[8])(const ScoreTile<T>& tile, const Arguments& arguments);

  auto operator[](const TileKind& kind) const { return variants[kind.index()]; }
};

/// The hot loops for element type T, compiled for one instruction set. They take plain pointers;
/// the caller owns memory and threads. Each is documented where it is defined.
template <class T>
struct KernelTable {
  int64_t panel_columns;   ///< columns per panel
  int64_t median_columns;  ///< maximum number of columns per call of median_rows

  /// micro_tile.h
  void (*dot_tile)(const T* a, int64_t stride, int64_t rows, const T* panel, int64_t panels,
                   int64_t depth, T* out, int64_t out_stride);
  void (*add_product)(const T* w, int64_t row_step, int64_t depth_step, int64_t rows,
                      const T* panel, int64_t panel_stride, int64_t panels, int64_t depth, T* out,
                      int64_t out_stride);

  /// logsumexp_tile.h
  TileVariants<T, TileSums<T>> exp_sum_tile;
  void (*online_logsumexp_tile[2])(const ScoreTile<T>& tile, const OnlineLogSumExp& online);
  TileVariants<T, TileGrad<T>> logsumexp_backward_tile;
  TileVariants<T, TileGrad<T>> online_logsumexp_backward_tile;

  /// transform_tile.h
  void (*transform_sum_tile[2])(const ScoreTile<T>& tile, const PairTransform& transform,
                                const TransformRows<T>& rows);
  void (*transform_backward_tile[2])(const ScoreTile<T>& tile, const PairTransform& transform,
                                     const TransformRows<T>& rows);

  /// median_rows.h
  void (*median_rows)(const T* rows, int64_t stride, const int64_t* members, int64_t n,
                      int64_t columns, T* scratch, int64_t* lower, int64_t* upper);

  /// filter_by_quantized_distance.h
  bool (*filter_by_quantized_distance)(const uint8_t* rows, int64_t stride, const uint8_t* panel,
                                       const int32_t* order, int64_t depth,
                                       const uint8_t* row_limit, const uint8_t* column_limit,
                                       uint8_t* differences, uint8_t* near);
  T (*largest_difference)(const T* a, const T* b, int64_t dim, T enough);

  /// smoothing_sums.h, smoothing_grads.h
  void (*add_kernel_sums)(const SmoothingPanel<T>& panel, double* sums);
  void (*accumulate_kernel_grad)(const SmoothingPanel<T>& panel, const T* sum_grads, T* row_grads);

  /// select_above.h
  int64_t (*select_above)(const T* products, const T* offsets, int64_t count, T limit,
                          int32_t first, Candidate<T>* to);
  bool (*any_above)(const T* products, const T* offsets, const T* residuals, int64_t count,
                    T residual, T limit);
  double (*squared_distance)(const T* u, const T* v, int64_t dim);

  /// map_forces.h
  void (*repel)(const RepulsionTile<T>& tile);
  void (*attract)(const AttractionRows<T>& rows, int64_t first, int64_t end, T* forces);

  /// conv/block_loops.h
  void (*load_block)(const InputTransform<T>& from, int64_t height, int64_t width,
                     const BlockTarget<T>& target);
  void (*add_squares)(const T* values, int64_t pixels, double* sums);
  void (*relu_backward)(const ReluBackwardArgs<T>& args, int64_t pixels, double* sums);

  /// conv/pool_block.h
  void (*max_pool)(const PoolBlock<T>& pool);
  void (*add_pool_gradient)(const PoolBlock<T>& pool, const T* out_gradient, T* gradient);

  /// conv/gathered_product.h
  void (*gathered_product)(const GatheredProduct<T>& product);
  void (*gathered_outer)(const GatheredOuter<T>& product);

  /// conv/winograd_tile.h
  void (*winograd_input)(const WinogradTiles<T>& tiles, T* to);
  void (*winograd_gradient)(const WinogradTiles<T>& tiles, T* to);
  void (*winograd_output)(const WinogradOutputRow<T>& row);
  void (*winograd_weights)(const T* from, int64_t rows, T* to, int64_t factor_stride);
  void (*winograd_weight_gradient)(const T* from, int64_t factor_stride, int64_t rows, T* to);
};

/// Returns the table of the active instruction set. T is float or double.
template <class T>
const KernelTable<T>& kernels();

/// Makes kernels() return these tables during its lifetime, so that a test can run code of another
/// vector width than the CPU's. Process-wide, like ForcedIsa.
class ForcedTables {
 public:
  ForcedTables(const KernelTable<float>& floats, const KernelTable<double>& doubles);
  ~ForcedTables();
  ForcedTables(const ForcedTables&) = delete;
  ForcedTables& operator=(const ForcedTables&) = delete;
};

// One per source file that is compiled for an instruction set.
template <class T>
const KernelTable<T>& plain_kernels();
template <class T>
const KernelTable<T>& avx2_kernels();
template <class T>
const KernelTable<T>& avx512_kernels();

}  // namespace projnce::kernel
