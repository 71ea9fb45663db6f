#include "projnce/io/tensor/safetensors_file.h"

#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <numeric>
#include <unordered_set>

#include "projnce/core/counted.h"
#include "projnce/core/error.h"
#include "projnce/io/filesystem/atomic_file.h"
#include "projnce/io/filesystem/regular_file.h"
#include "projnce/io/tensor/safetensors.h"

namespace projnce::io {

namespace {

void check_integrity(std::span<const std::byte> file, const StoredTensor& record,
                     uint64_t data_bytes, const std::string& origin) {
  const bool in_place = record.type == StoredType::kU8 && record.end == data_bytes &&
                        record.shape == std::vector<uint64_t>{kIntegrityBytes};
  if (!in_place) {
    fail(origin, " has a corrupt checksum: expected '", kIntegrityName, "' to be its last ",
         kIntegrityBytes, " bytes");
  }
  const auto covered = file.first(file.size() - kIntegrityBytes);
  const auto stored = file.last(kIntegrityBytes);
  if (as_text(stored.first(kIntegrityMagic.size())) != kIntegrityMagic) {
    fail(origin, " has an unknown kind of checksum, expected ", kIntegrityMagic);
  }
  const auto hash = XXH3_128bits(covered.data(), covered.size());
  if (hash.low64 != little_endian(stored.subspan(8, 8)) ||
      hash.high64 != little_endian(stored.subspan(16))) {
    fail(origin, " is corrupt: its checksum does not match");
  }
}

/// Throws if a bool is neither 0 nor 1, which would be undefined behavior.
void check_bools(const SafetensorsView& view, const std::string& origin) {
  for (const auto& tensor : view.header.tensors) {
    if (tensor.type != StoredType::kBool) continue;
    const auto bytes = view.bytes(tensor);
    const auto is_wrong = [](std::byte value) { return value > std::byte{1}; };
    if (std::any_of(bytes.begin(), bytes.end(), is_wrong)) {
      fail(origin, " has a BOOL tensor '", tensor.name, "' with values other than 0 and 1");
    }
  }
}

}  // namespace

SafetensorsView parse_safetensors(std::span<const std::byte> file, Integrity integrity,
                                  const std::string& origin) {
  if (file.size() < kHeaderLengthBytes) {
    fail(origin, " has ", counted(file.size(), "byte"), ", expected a safetensors file");
  }
  const auto length = little_endian(file.first(kHeaderLengthBytes));
  const auto rest = file.subspan(kHeaderLengthBytes);
  if (length > rest.size() || length > kSafetensorsMaxHeaderBytes) {
    fail(origin, " declares a header of ", length, " bytes, expected at most ",
         std::min<uint64_t>(rest.size(), kSafetensorsMaxHeaderBytes),
         "; it is truncated or not a safetensors file");
  }
  SafetensorsView view;
  view.data = rest.subspan(length);
  view.header = parse_safetensors_header(as_text(rest.first(length)), view.data.size(), origin);

  auto& tensors = view.header.tensors;
  const auto record = std::find_if(tensors.begin(), tensors.end(), [](const StoredTensor& tensor) {
    return tensor.name == kIntegrityName;
  });
  if (record != tensors.end()) {
    check_integrity(file, *record, view.data.size(), origin);
    tensors.erase(record);
  } else if (integrity == Integrity::kRequired) {
    fail(origin, " has no checksum, expected a file written by projnce");
  }
  check_bools(view, origin);
  return view;
}

static_assert(std::endian::native == std::endian::little, "data is written in native byte order");

namespace {

/// Writes and hashes in chunks that fit the cache.
class HashedFile {
 public:
  HashedFile(const std::filesystem::path& path, uint64_t size)
      : file_(path), state_(XXH3_createState()) {
    if (!state_ || XXH3_128bits_reset(state_.get()) != XXH_OK) throw std::bad_alloc();
    file_.reserve(size);
  }

  void write(std::span<const std::byte> bytes) {
    constexpr size_t kChunk = size_t{1} << 20;
    while (!bytes.empty()) {
      const auto chunk = bytes.first(std::min(kChunk, bytes.size()));
      XXH3_128bits_update(state_.get(), chunk.data(), chunk.size());
      file_.write(chunk);
      bytes = bytes.subspan(chunk.size());
    }
  }

  void write_checksum() {
    const auto hash = XXH3_128bits_digest(state_.get());
    file_.write(std::as_bytes(std::span(kIntegrityMagic)));
    file_.write(std::as_bytes(std::span(&hash.low64, 1)));
    file_.write(std::as_bytes(std::span(&hash.high64, 1)));
  }

  void commit() { file_.commit(); }

 private:
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  AtomicFile file_;
  std::unique_ptr<XXH3_state_t, Free> state_;
};

void check_tensors(const std::vector<TensorBytes>& tensors, const std::string& origin) {
  std::unordered_set<std::string> names = {std::string(kIntegrityName), std::string(kMetadataName)};
  for (const auto& tensor : tensors) {
    if (!names.insert(tensor.name).second) {
      fail(origin, " cannot store tensor '", tensor.name, "': the name is duplicate or reserved");
    }
    if (tensor.shape.size() > kSafetensorsMaxRank) {
      fail(origin, " cannot store tensor '", tensor.name, "' with ", tensor.shape.size(),
           " dimensions, expected at most ", kSafetensorsMaxRank);
    }
    const auto expected = stored_bytes(tensor.type, tensor.shape, origin);
    if (tensor.data.size() != expected) {
      fail(origin, " cannot store tensor '", tensor.name, "' with ",
           counted(tensor.data.size(), "byte"), ", expected ", expected, " for its shape and type");
    }
  }
}

/// Sorts by decreasing element size, so that every tensor is aligned to its elements.
std::vector<size_t> data_order(const std::vector<TensorBytes>& tensors) {
  std::vector<size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return stored_type_bytes(tensors[a].type) > stored_type_bytes(tensors[b].type);
  });
  return order;
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, const std::vector<TensorBytes>& tensors,
                       const std::map<std::string, std::string>& metadata, Checksum checksum) {
  const auto origin = path.string();
  check_tensors(tensors, origin);
  SafetensorsHeader header{{}, metadata};
  for (const auto& tensor : tensors) {
    header.tensors.push_back({tensor.name, tensor.type, tensor.shape});
  }
  const auto order = data_order(tensors);
  uint64_t position = 0;
  for (const size_t i : order) {
    header.tensors[i].begin = position;
    header.tensors[i].end = position += tensors[i].data.size();
  }
  if (checksum == Checksum::kAppended) {
    header.tensors.push_back({std::string(kIntegrityName),
                              StoredType::kU8,
                              {kIntegrityBytes},
                              position,
                              position + kIntegrityBytes});
  }
  const auto json = format_safetensors_header(header, origin);
  if (json.size() > kSafetensorsMaxHeaderBytes) {
    fail(origin, " cannot be written: its header would have ", json.size(),
         " bytes, expected at most ", kSafetensorsMaxHeaderBytes);
  }
  const uint64_t length = json.size();
  HashedFile file(path, kHeaderLengthBytes + length + position + kIntegrityBytes);
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(std::as_bytes(std::span(json)));
  for (const size_t i : order) file.write(tensors[i].data);
  if (checksum == Checksum::kAppended) file.write_checksum();
  file.commit();
}

}  // namespace projnce::io
