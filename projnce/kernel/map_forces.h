#pragma once

#include "projnce/kernel/simd.h"

namespace projnce::kernel {

/// Sparse matrix of attraction weights between points of a plane, by rows.
template <class T>
struct AttractionRows {
  const T* points;          // [N, 2]
  const int64_t* starts;    // [N + 1]; multiples of kAttractionStep
  const int32_t* partners;  // rows are padded with arbitrary points
  const T* weights;         // ... of weight 0
};

/// Row lengths are multiples of this: whole vectors with every instruction set.
inline constexpr int64_t kAttractionStep = 16;

/// Attractive forces of points first .. end - 1, with q = 1 / (1 + |i - j|^2):
/// force_i = sum_j w_ij q (i - j).
template <class Arch, class T>
void attract(const AttractionRows<T>& rows, int64_t first, int64_t end, T* forces) {
  using S = Simd<Arch, T>;
  using V = typename S::V;
  static_assert(kAttractionStep % S::kWidth == 0);
  for (int64_t i = first; i < end; ++i) {
    const T x = rows.points[2 * i];
    const T y = rows.points[2 * i + 1];
    V force_x = {}, force_y = {};
    for (int64_t e = rows.starts[i]; e < rows.starts[i + 1]; e += S::kWidth) {
      V other_x, other_y;
#pragma GCC unroll 16
      for (int l = 0; l < S::kWidth; ++l) {
        const T* partner = rows.points + 2 * static_cast<int64_t>(rows.partners[e + l]);
        other_x[l] = partner[0];
        other_y[l] = partner[1];
      }
      const V dx = x - other_x;
      const V dy = y - other_y;
      const V strength = S::load(rows.weights + e) / (dx * dx + (dy * dy + T{1}));
      force_x += strength * dx;
      force_y += strength * dy;
    }
    forces[2 * i] = S::sum(force_x);
    forces[2 * i + 1] = S::sum(force_y);
  }
}

/// Target points of a plane, and the masses that repel them.
template <class T>
struct RepulsionTile {
  const T* x;  // [targets]
  const T* y;
  int64_t targets;
  const T* source_x;  // [sources]
  const T* source_y;
  const T* source_mass;
  int64_t sources;
  T* force_x;  // [targets]
  T* force_y;
  T* mass;
};

/// Computes kVectors vectors of targets against all sources.
template <class Arch, class T, int kVectors>
PROJNCE_INLINE void repel_vectors(const RepulsionTile<T>& tile, int64_t first) {
  using S = Simd<Arch, T>;
  using V = typename S::V;
  V x[kVectors], y[kVectors];
  V force_x[kVectors] = {}, force_y[kVectors] = {}, mass[kVectors] = {};
#pragma GCC unroll 2
  for (int v = 0; v < kVectors; ++v) {
    x[v] = S::load(tile.x + first + v * S::kWidth);
    y[v] = S::load(tile.y + first + v * S::kWidth);
  }
  for (int64_t s = 0; s < tile.sources; ++s) {
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) {
      const V dx = x[v] - tile.source_x[s];
      const V dy = y[v] - tile.source_y[s];
      const V q = T{1} / (dx * dx + (dy * dy + T{1}));
      const V weighted = q * tile.source_mass[s];
      mass[v] += weighted;
      const V strength = weighted * q;
      force_x[v] += strength * dx;
      force_y[v] += strength * dy;
    }
  }
#pragma GCC unroll 2
  for (int v = 0; v < kVectors; ++v) {
    S::store(tile.force_x + first + v * S::kWidth, force_x[v]);
    S::store(tile.force_y + first + v * S::kWidth, force_y[v]);
    S::store(tile.mass + first + v * S::kWidth, mass[v]);
  }
}

/// For each target i, with q = 1 / (1 + |i - s|^2):
///
///   mass_i = sum_s m_s q,   force_i = sum_s m_s q^2 (i - s)
///
/// A target among the sources contributes its own mass and no force. Reads and writes whole vectors
/// of targets, so up to one vector beyond the last target.
template <class Arch, class T>
void repel(const RepulsionTile<T>& tile) {
  constexpr int64_t kWidth = Simd<Arch, T>::kWidth;
  int64_t first = 0;
  for (; first + kWidth < tile.targets; first += 2 * kWidth) {
    repel_vectors<Arch, T, 2>(tile, first);
  }
  if (first < tile.targets) repel_vectors<Arch, T, 1>(tile, first);
}

}  // namespace projnce::kernel
