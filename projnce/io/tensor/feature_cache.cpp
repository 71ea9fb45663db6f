#include "projnce/io/tensor/feature_cache.h"

#include <xxhash.h>

#include <array>
#include <bit>
#include <cstring>
#include <span>
#include <vector>

#include "projnce/core/error.h"
#include "projnce/io/filesystem/atomic_file.h"
#include "projnce/io/filesystem/regular_file.h"

namespace projnce::io {

namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "entries are little-endian");

/// Entry layout: magic, version, channels, height, width, hash of the key; the values; a hash of
/// all preceding bytes. Changes of the layout increment the version.
constexpr std::string_view kEntryMagic = "projncFC";
constexpr uint32_t kEntryVersion = 1;
constexpr size_t kEntryHeader = 8 + 4 * sizeof(uint32_t) + sizeof(XXH128_canonical_t);
constexpr size_t kEntryOverhead = kEntryHeader + sizeof(uint64_t);
constexpr size_t kMaxEntryValues = size_t{1} << 24;
constexpr size_t kMaxEntryBytes = kEntryOverhead + kMaxEntryValues * sizeof(float);

XXH128_canonical_t hash_of(std::string_view text) {
  XXH128_canonical_t digest;
  XXH128_canonicalFromHash(&digest, XXH3_128bits(text.data(), text.size()));
  return digest;
}

std::string hex_digits(const XXH128_canonical_t& hash) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : hash.digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

/// Whether the shape is valid and its product equals the number of values.
bool has_values_of_shape(const std::array<int64_t, 3>& shape, size_t values) {
  int64_t product = 1;
  for (const int64_t size : shape) {
    if (size < 1 || size > static_cast<int64_t>(kMaxEntryValues) / product) return false;
    product *= size;
  }
  return static_cast<size_t>(product) == values;
}

template <class T>
void append_raw(std::vector<std::byte>& bytes, const T* values, size_t count) {
  const auto raw = std::as_bytes(std::span(values, count));
  bytes.insert(bytes.end(), raw.begin(), raw.end());
}

std::vector<std::byte> encode_entry(std::string_view key, const Features& features) {
  const uint32_t numbers[] = {kEntryVersion, static_cast<uint32_t>(features.channels),
                              static_cast<uint32_t>(features.height),
                              static_cast<uint32_t>(features.width)};
  const auto key_hash = hash_of(key);
  std::vector<std::byte> bytes;
  bytes.reserve(kEntryOverhead + features.bytes());
  append_raw(bytes, kEntryMagic.data(), kEntryMagic.size());
  append_raw(bytes, numbers, std::size(numbers));
  append_raw(bytes, key_hash.digest, sizeof(key_hash.digest));
  append_raw(bytes, features.values.data(), features.values.size());
  const uint64_t checksum = XXH3_64bits(bytes.data(), bytes.size());
  append_raw(bytes, &checksum, 1);
  return bytes;
}

std::optional<Features> decode_entry(std::string_view key, std::span<const std::byte> bytes) {
  if (bytes.size() < kEntryOverhead) return {};
  const auto content = bytes.first(bytes.size() - sizeof(uint64_t));
  const auto checksum = little_endian(bytes.last(sizeof(uint64_t)));
  if (XXH3_64bits(content.data(), content.size()) != checksum) return {};

  const auto number = [&](size_t index) {
    return little_endian(content.subspan(kEntryMagic.size() + index * 4, 4));
  };
  const auto key_hash = hash_of(key);
  const auto stored_hash = content.subspan(kEntryHeader - sizeof(key_hash), sizeof(key_hash));
  if (as_text(content.first(kEntryMagic.size())) != kEntryMagic || number(0) != kEntryVersion ||
      std::memcmp(stored_hash.data(), key_hash.digest, sizeof(key_hash)) != 0) {
    return {};
  }
  const std::array shape = {static_cast<int64_t>(number(1)), static_cast<int64_t>(number(2)),
                            static_cast<int64_t>(number(3))};
  const auto values = content.subspan(kEntryHeader);
  const size_t count = values.size() / sizeof(float);
  if (values.size() % sizeof(float) != 0 || !has_values_of_shape(shape, count)) return {};

  Features features{.channels = static_cast<int>(shape[0]),
                    .height = static_cast<int>(shape[1]),
                    .width = static_cast<int>(shape[2]),
                    .values = std::vector<float>(count)};
  std::memcpy(features.values.data(), values.data(), values.size());
  return features;
}

/// Writes the entry; rejects symbolic links, which could point outside the cache folder.
void write_entry(const fs::path& path, std::span<const std::byte> bytes) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) fail_runtime("cannot create ", path.parent_path().string(), ": ", error.message());
  if (fs::is_symlink(fs::symlink_status(path, error))) {
    fail_runtime("cannot write ", path.string(), ": it is a symbolic link");
  }
  write_file_atomically(path, bytes, Durability::kNoSync);
}

}  // namespace

fs::path FeatureCache::entry_path(std::string_view key) const {
  const auto name = hex_digits(hash_of(key));
  return folder_ / name.substr(0, 2) / (name.substr(2) + ".features");
}

std::optional<Features> FeatureCache::find(std::string_view key) const {
  const auto path = entry_path(key);
  std::error_code error;
  if (!fs::exists(path, error)) return {};  // common case; avoids an exception
  try {
    return decode_entry(key, read_regular_file(path, kMaxEntryBytes).span());
  } catch (const Error&) {
    return {};
  }
}

bool FeatureCache::store(std::string_view key, const Features& features) {
  const auto path = entry_path(key);
  if (!has_values_of_shape({features.channels, features.height, features.width},
                           features.values.size())) {
    note_failure(concat("cannot cache ", features.channels, " x ", features.height, " x ",
                        features.width, " features with ", features.values.size(), " values"));
    return false;
  }
  {
    const std::lock_guard lock(mutex_);
    if (!being_stored_.insert(path).second) return true;
  }
  std::string reason;
  try {
    write_entry(path, encode_entry(key, features));
  } catch (const Error& failure) {
    reason = failure.what();
  }
  if (!reason.empty()) note_failure(reason);
  const std::lock_guard lock(mutex_);
  being_stored_.erase(path);
  return reason.empty();
}

void FeatureCache::note_failure(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  if (first_failure_.empty()) first_failure_ = reason;
}

std::string FeatureCache::first_failure() const {
  const std::lock_guard lock(mutex_);
  return first_failure_;
}

}  // namespace projnce::io
