#include "projnce/io/digest.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "projnce/core/error.h"

namespace projnce::io {

namespace {

constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64(std::span<const uint8_t> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (; !bytes.empty(); bytes = bytes.subspan(std::min<size_t>(bytes.size(), 3))) {
    const size_t count = std::min<size_t>(bytes.size(), 3);
    uint32_t group = 0;
    for (size_t i = 0; i < 3; ++i) group = group << 8 | (i < count ? bytes[i] : 0U);
    for (size_t i = 0; i < 4; ++i) {
      text += i <= count ? kBase64Digits[group >> (18 - 6 * i) & 63] : '=';
    }
  }
  return text;
}

namespace {

constexpr uint32_t kCastagnoli = 0x82F63B78U;  // bit-reversed polynomial

constexpr std::array<uint32_t, 256> make_crc32c_table() {
  std::array<uint32_t, 256> table = {};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ (rest & 1U ? kCastagnoli : 0);
    table[byte] = rest;
  }
  return table;
}

constexpr auto kCrc32cTable = make_crc32c_table();

}  // namespace

uint32_t crc32c(std::string_view bytes) {
  uint32_t rest = 0xFFFFFFFFU;
  for (const char c : bytes) {
    rest = rest >> 8 ^ kCrc32cTable[(rest ^ static_cast<unsigned char>(c)) & 0xFFU];
  }
  return ~rest;
}

namespace {

constexpr size_t kDigestBlock = size_t{1} << 20;

/// Computes a digest incrementally.
class Digester {
 public:
  explicit Digester(DigestKind kind) : kind_(kind), state_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    const auto* method = kind == DigestKind::kMd5 ? EVP_md5() : EVP_sha256();
    check(state_ && EVP_DigestInit_ex(state_.get(), method, nullptr) == 1);
  }

  void add(std::span<const std::byte> bytes) {
    check(EVP_DigestUpdate(state_.get(), bytes.data(), bytes.size()) == 1);
  }

  std::vector<uint8_t> finish() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    check(EVP_DigestFinal_ex(state_.get(), digest.data(), &size) == 1);
    return {digest.begin(), digest.begin() + size};
  }

 private:
  void check(bool ok) const {
    if (!ok) fail_runtime("this system's OpenSSL does not support ", digest_name(kind_));
  }

  DigestKind kind_;
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> state_;
};

}  // namespace

std::string file_digest(const RegularFile& file, DigestKind kind,
                        const std::function<void(uint64_t)>& on_bytes) {
  Digester digester(kind);
  std::vector<std::byte> block(std::min<uint64_t>(file.size, kDigestBlock));
  for (uint64_t done = 0; done < file.size;) {
    const auto wanted = std::span(block).first(std::min<uint64_t>(block.size(), file.size - done));
    const size_t count = file.read_at(done, wanted);
    if (count < wanted.size()) {
      fail_runtime(file.name, " was truncated while being read: ", done + count,
                   " bytes, expected ", file.size);
    }
    digester.add(wanted);
    done += count;
    if (on_bytes) on_bytes(count);
  }
  return fmt::format("{:02x}", fmt::join(digester.finish(), ""));
}

std::vector<uint8_t> sha256(std::string_view bytes) {
  Digester digester(DigestKind::kSha256);
  digester.add(std::as_bytes(std::span(bytes)));
  return digester.finish();
}

const char* digest_name(DigestKind kind) {
  return kind == DigestKind::kMd5 ? "MD5" : "SHA-256";
}

}  // namespace projnce::io
