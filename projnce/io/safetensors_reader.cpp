#include "projnce/io/safetensors_reader.h"

#include <xxhash.h>

#include <algorithm>

#include "projnce/core/error.h"
#include "projnce/io/byte_view.h"
#include "projnce/io/safetensors_header.h"

namespace projnce {

namespace {

void check_integrity(std::span<const std::byte> file, const StoredTensor& record,
                     uint64_t data_bytes, const std::string& origin) {
  const bool in_place = record.type == StoredType::kU8 && record.end == data_bytes &&
                        record.shape == std::vector<uint64_t>{kIntegrityBytes};
  if (!in_place) {
    fail(origin, " has a damaged checksum: expected '", kIntegrityName, "' to be its last ",
         kIntegrityBytes, " bytes");
  }
  const auto covered = file.first(file.size() - kIntegrityBytes);
  const auto stored = file.last(kIntegrityBytes);
  if (as_text(stored.first(kIntegrityMagic.size())) != kIntegrityMagic) {
    fail(origin, " has a checksum of an unknown kind, expected ", kIntegrityMagic);
  }
  const auto hash = XXH3_128bits(covered.data(), covered.size());
  if (hash.low64 != little_endian(stored.subspan(8, 8)) ||
      hash.high64 != little_endian(stored.subspan(16))) {
    fail(origin, " is damaged: its bytes do not give the checksum that was stored with them");
  }
}

/// A bool of any other value is undefined behaviour in every program that uses it.
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
    fail(origin, " has ", file.size(), " bytes, expected a safetensors file");
  }
  const auto length = little_endian(file.first(kHeaderLengthBytes));
  const auto rest = file.subspan(kHeaderLengthBytes);
  if (length > rest.size() || length > kSafetensorsMaxHeaderBytes) {
    fail(origin, " says that its header has ", length, " bytes, expected at most ",
         std::min<uint64_t>(rest.size(), kSafetensorsMaxHeaderBytes),
         "; it is cut short or no safetensors file");
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
    fail(origin, " has no checksum, expected a file that projnce wrote");
  }
  check_bools(view, origin);
  return view;
}

}  // namespace projnce
